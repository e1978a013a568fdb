/** A field of a protobuf message: its number, its content (for fields with a length), and all its bytes. */
export interface Field {
  number: number
  content: Uint8Array
  whole: Uint8Array
}

const wireLength = 2

const readVarint = (bytes: Uint8Array, at: number): { value: number; end: number } => {
  let value = 0
  let factor = 1
  for (let end = at; ; end++) {
    const byte = bytes[end]
    if (byte === undefined) throw new Error('the model file is cut off')
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return { value, end: end + 1 }
    factor *= 128
  }
}

/** Start and end of a field's content. */
const contentOf = (bytes: Uint8Array, wire: number, at: number): { from: number; to: number } => {
  if (wire === 0) return { from: at, to: readVarint(bytes, at).end }
  if (wire === 1) return { from: at, to: at + 8 }
  if (wire === 5) return { from: at, to: at + 4 }
  if (wire !== wireLength) throw new Error(`the model file has a field of an unknown kind (${wire})`)
  const { value, end } = readVarint(bytes, at)
  return { from: end, to: end + value }
}

export const readFields = (bytes: Uint8Array): Field[] => {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length;) {
    const { value: key, end } = readVarint(bytes, at)
    const { from, to } = contentOf(bytes, key & 7, end)
    fields.push({ number: Math.floor(key / 8), content: bytes.subarray(from, to), whole: bytes.subarray(at, to) })
    at = to
  }
  return fields
}

/** First field with this number; empty if missing. */
export const fieldOf = (bytes: Uint8Array, number: number): Uint8Array =>
  readFields(bytes).find((field) => field.number === number)?.content ?? new Uint8Array(0)

/** Packed varints. */
export const readNumbers = (bytes: Uint8Array): number[] => {
  const numbers: number[] = []
  for (let at = 0; at < bytes.length;) {
    const { value, end } = readVarint(bytes, at)
    numbers.push(value)
    at = end
  }
  return numbers
}

const varint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}

export const numberField = (number: number, value: number): Uint8Array => Buffer.concat([varint(number * 8), varint(value)])

export const messageField = (number: number, ...parts: Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts)
  return Buffer.concat([varint(number * 8 + wireLength), varint(content.length), content])
}

export const textField = (number: number, text: string): Uint8Array => messageField(number, Buffer.from(text))

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
/** Fields of the operator set that a model uses. */
export const operatorSet = { version: 2 }
const tensorType = { tensor: 1, elementType: 1, shape: 2 }

export const nameIn = (bytes: Uint8Array, number: number): string => new TextDecoder().decode(fieldOf(bytes, number))

/** Type of an input or output: floats with the given dimensions, or of any rank if none are given. */
export const floatsType = (...dimensions: Uint8Array[]): Uint8Array => {
  const shaped = dimensions.length === 0 ? [] : [messageField(tensorType.shape, ...dimensions)]
  return messageField(valueInfo.type, messageField(tensorType.tensor, numberField(tensorType.elementType, elementTypes.float32), ...shaped))
}

/** A dimension of any size. */
export const anySize = (name: string): Uint8Array => messageField(shape.dimension, textField(shape.name, name))
