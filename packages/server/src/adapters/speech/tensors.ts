import { attribute, graph, model, nameIn, node, tensor, fieldOf, readFields, readNumbers } from './protobuf.ts'

export interface Weights {
  dimensions: readonly number[]
  values: Float32Array
}

/** Weights by name, of one part of a model. */
export type ModelWeights = ReadonlyMap<string, Weights>

/** Constants of a float model whose names begin with `beginning`, without that prefix; includes those inside its branches. */
export const readWeights = (file: Uint8Array, beginning: string): ModelWeights => {
  const found = new Map<string, Weights>()
  const take = (name: string, content: Uint8Array): void => {
    if (name.startsWith(beginning)) found.set(name.slice(beginning.length), weightsIn(content))
  }
  const look = (graphContent: Uint8Array): void => {
    for (const { number, content } of readFields(graphContent)) {
      if (number === graph.initializer) take(nameIn(content, tensor.name), content)
      if (number !== graph.node) continue
      for (const field of readFields(content).filter((one) => one.number === node.attribute)) {
        const [constant, branch] = [fieldOf(field.content, attribute.tensor), fieldOf(field.content, attribute.graph)]
        if (constant.length > 0) take(nameIn(content, node.output), constant)
        if (branch.length > 0) look(branch)
      }
    }
  }
  look(fieldOf(file, model.graph))
  return found
}

export const weightsNamed = (weights: ModelWeights, name: string): Weights => {
  const found = weights.get(name)
  if (!found) throw new Error(`the model file has no ${name}`)
  return found
}

const weightsIn = (content: Uint8Array): Weights => {
  const fields = readFields(content)
  const dimensions = fields.filter(({ number }) => number === tensor.dimensions).flatMap((field) => readNumbers(field.content))
  const raw = fields.find(({ number }) => number === tensor.rawData)?.content ?? new Uint8Array(0)
  return { dimensions, values: new Float32Array(Uint8Array.from(raw.subarray(0, raw.length - (raw.length % 4))).buffer) }
}
