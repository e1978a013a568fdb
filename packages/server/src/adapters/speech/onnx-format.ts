import { fieldOf, messageField, numberField, textField } from './protobuf.ts'

/** Field numbers of the ONNX format. */
export const model = { graph: 7, operators: 8 }
export const graph = { node: 1, initializer: 5, input: 11, output: 12, valueInfo: 13 }
export const node = { input: 1, output: 2, operator: 4, attribute: 5 }
export const attribute = { name: 1, integer: 3, text: 4, tensor: 5, graph: 6, type: 20 }
export const attributeTypes = { integer: 2, text: 3 }
export const tensor = { dimensions: 1, type: 2, name: 8, rawData: 9 }
export const valueInfo = { name: 1, type: 2 }
export const shape = { dimension: 1, size: 1, name: 2 }
export const elementTypes = { float32: 1, int64: 7, float16: 10 }
/** Of the operators that a model is made of. */
export const operatorSet = { version: 2 }
const tensorType = { tensor: 1, elementType: 1, shape: 2 }

export const nameIn = (bytes: Uint8Array, number: number): string => new TextDecoder().decode(fieldOf(bytes, number))

/** The type of an input or output: floats of as many dimensions as are given; none: of any number. */
export const floatsType = (...dimensions: Uint8Array[]): Uint8Array => {
  const shaped = dimensions.length === 0 ? [] : [messageField(tensorType.shape, ...dimensions)]
  return messageField(valueInfo.type, messageField(tensorType.tensor, numberField(tensorType.elementType, elementTypes.float32), ...shaped))
}

/** A dimension of any size. */
export const anySize = (name: string): Uint8Array => messageField(shape.dimension, textField(shape.name, name))
