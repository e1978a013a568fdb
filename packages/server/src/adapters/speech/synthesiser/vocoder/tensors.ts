import { graph, model, nameIn, tensor } from '#adapters/speech/onnx-format.ts'
import { readFields, readNumbers } from '#adapters/speech/protobuf.ts'

export interface Weights {
  dimensions: readonly number[]
  values: Float32Array
}

/** The constants of a model of floats whose names begin so, without that beginning. */
export const readWeights = (file: Uint8Array, beginning: string): Map<string, Weights> => {
  const graphField = readFields(file).find(({ number }) => number === model.graph)
  const found = new Map<string, Weights>()
  for (const { number, content } of readFields(graphField?.content ?? new Uint8Array(0))) {
    if (number !== graph.initializer) continue
    const name = nameIn(content, tensor.name)
    if (name.startsWith(beginning)) found.set(name.slice(beginning.length), weightsIn(content))
  }
  return found
}

const weightsIn = (content: Uint8Array): Weights => {
  const fields = readFields(content)
  const dimensions = fields.filter(({ number }) => number === tensor.dimensions).flatMap((field) => readNumbers(field.content))
  const raw = fields.find(({ number }) => number === tensor.rawData)?.content ?? new Uint8Array(0)
  return { dimensions, values: new Float32Array(Uint8Array.from(raw).buffer) }
}
