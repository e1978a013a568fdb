import { anySize, floatsType, graph, model, nameIn, shape, tensor, valueInfo } from '../onnx-format.ts'
import { fieldOf, messageField, numberField, readFields, textField, type Field } from '../protobuf.ts'

export const positionsInput = 'embed_positions.weight'
const hiddenOutput = 'last_hidden_state'
const maxWindowFrames = 1500

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
  const width = raw.length / 4 / maxWindowFrames
  const kept = fields.filter((field) => field !== table).flatMap(rewritten)
  const newGraph = messageField(model.graph, ...kept, positionsDeclared(width))
  const whole = readFields(file).map((field) => (field.number === model.graph ? newGraph : field.whole))
  return { model: Buffer.concat(whole), positions: new Float32Array(Uint8Array.from(raw).buffer), width }
}

const isPositions = ({ number, content }: Field): boolean => number === graph.initializer && nameIn(content, tensor.name) === positionsInput

/** Leaves out sizes that are fixed to 30 seconds, and outputs that are not read. */
const rewritten = ({ number, content, whole }: Field): Uint8Array[] => {
  if (number === graph.valueInfo) return []
  if (number !== graph.output) return [whole]
  if (nameIn(content, valueInfo.name) !== hiddenOutput) return []
  return [messageField(graph.output, textField(valueInfo.name, hiddenOutput), floatsType())]
}

const positionsDeclared = (width: number): Uint8Array => {
  const columns = messageField(shape.dimension, numberField(shape.size, width))
  return messageField(graph.input, textField(valueInfo.name, positionsInput), floatsType(anySize('positions'), columns))
}
