import { attribute, elementTypes, graph, model, nameIn, node, tensor } from '../onnx-format.ts'
import { fieldOf, messageField, numberField, readFields, type Field } from '../protobuf.ts'

/** Attributes that name the type of an output. */
const typeAttributes: ReadonlySet<string> = new Set(['to', 'dtype'])

/**
 * The models are stored in half floats to be small. Processors are slow with them: they add and multiply them one by one, or convert them
 * before and after each step. So all of them become floats.
 */
export const widenGraph = (file: Uint8Array): Uint8Array =>
  changed(file, (field) => (field.number === model.graph ? messageField(model.graph, changed(field.content, wideInGraph)) : undefined))

type Change = (field: Field) => Uint8Array | undefined

/** Field by field; what is not changed stays as it is. */
const changed = (message: Uint8Array, change: Change): Uint8Array =>
  Buffer.concat(readFields(message).map((field) => change(field) ?? field.whole))

const wideInGraph: Change = ({ number, content }) => {
  if (number === graph.initializer) return messageField(number, wideTensor(content))
  if (number === graph.node) return messageField(number, changed(content, wideInNode))
  return number === graph.valueInfo ? new Uint8Array(0) : undefined // they would name the old types
}

const wideInNode: Change = ({ number, content }) => {
  if (number !== node.attribute) return undefined
  if (typeAttributes.has(nameIn(content, attribute.name))) return messageField(number, changed(content, wideType(attribute.integer)))
  const wideValue: Change = (field) =>
    field.number === attribute.tensor ? messageField(attribute.tensor, wideTensor(field.content)) : undefined
  return messageField(number, changed(content, wideValue))
}

const isHalf = (type: Uint8Array): boolean => type.length === 1 && type[0] === elementTypes.float16

const wideType =
  (at: number): Change =>
  ({ number, content }) =>
    number === at && isHalf(content) ? numberField(at, elementTypes.float32) : undefined

const wideTensor = (content: Uint8Array): Uint8Array => {
  if (!isHalf(fieldOf(content, tensor.type))) return content
  return changed(content, (field) =>
    field.number === tensor.rawData ? messageField(tensor.rawData, wideNumbers(field.content)) : wideType(tensor.type)(field),
  )
}

const wideNumbers = (raw: Uint8Array): Uint8Array => {
  const halves = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  const wide = new Float32Array(raw.byteLength / 2)
  for (let i = 0; i < wide.length; i++) wide[i] = fromHalf(halves.getUint16(2 * i, true))
  return new Uint8Array(wide.buffer)
}

/** IEEE 754 binary16. */
const fromHalf = (half: number): number => {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
