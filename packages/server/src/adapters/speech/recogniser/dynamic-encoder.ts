import { fieldOf, messageField, numberField, readFields, textField, type Field } from './protobuf.ts'

/** Field numbers of the ONNX format. */
const model = { graph: 7 }
const graph = { initializer: 5, input: 11, output: 12, valueInfo: 13 }
const tensor = { name: 8, rawData: 9 }
const valueInfo = { name: 1, type: 2 }
const tensorType = { tensor: 1, elementType: 1, shape: 2 }
const shape = { dimension: 1, size: 1, name: 2 }
const float32 = 1

export const positionsInput = 'embed_positions.weight'
const hiddenOutput = 'last_hidden_state'
const longestWindow = 1500

export interface DynamicEncoder {
  /** The model with the table of positions as an input instead of a constant. */
  model: Uint8Array
  /** That table: `width` numbers for each of 1500 positions. */
  positions: Float32Array
  width: number
}

/**
 * Whisper's encoder only insists on 30 seconds because a constant table of positions is added to what it sees. Given the beginning of that
 * table at run time it takes any length, and needs time for that length only.
 */
export const dynamicEncoder = (file: Uint8Array): DynamicEncoder => {
  const graphField = readFields(file).find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  const fields = readFields(graphField.content)
  const table = fields.find(isPositions)
  if (!table) throw new Error('the model file has no table of positions')
  const raw = fieldOf(table.content, tensor.rawData)
  const width = raw.length / 4 / longestWindow
  const kept = fields.filter((field) => field !== table).flatMap(rewritten)
  const newGraph = messageField(model.graph, ...kept, positionsDeclared(width))
  const whole = readFields(file).map((field) => (field.number === model.graph ? newGraph : field.whole))
  return { model: Buffer.concat(whole), positions: new Float32Array(Uint8Array.from(raw).buffer), width }
}

const nameIn = (bytes: Uint8Array, number: number): string => new TextDecoder().decode(fieldOf(bytes, number))

const isPositions = ({ number, content }: Field): boolean => number === graph.initializer && nameIn(content, tensor.name) === positionsInput

/** Leaves out sizes that are fixed to 30 seconds, and outputs that are not read. */
const rewritten = ({ number, content, whole }: Field): Uint8Array[] => {
  if (number === graph.valueInfo) return []
  if (number !== graph.output) return [whole]
  if (nameIn(content, valueInfo.name) !== hiddenOutput) return []
  return [messageField(graph.output, textField(valueInfo.name, hiddenOutput), floats())]
}

const floats = (...dimensions: Uint8Array[]): Uint8Array => {
  const shaped = dimensions.length === 0 ? [] : [messageField(tensorType.shape, ...dimensions)]
  return messageField(valueInfo.type, messageField(tensorType.tensor, numberField(tensorType.elementType, float32), ...shaped))
}

const positionsDeclared = (width: number): Uint8Array => {
  const rows = messageField(shape.dimension, textField(shape.name, 'positions'))
  const columns = messageField(shape.dimension, numberField(shape.size, width))
  return messageField(graph.input, textField(valueInfo.name, positionsInput), floats(rows, columns))
}
