import { anySize, floatsType, graph, model, nameIn, node, tensor, valueInfo } from '../onnx-format.ts'
import { messageField, readFields, textField, type Field } from '../protobuf.ts'

/** What a sentence is between its words and its sound, `[1, channels, frames]`; the vocoder begins with it. */
export const latent = '/Mul_8_output_0'
const sound = 'audio'

export interface CutModel {
  toLatent: Uint8Array
  toSound: Uint8Array
}

/**
 * The models make a sentence in one run. Cut where their vocoder begins they make it in two: the first for the whole sentence, the second
 * for as much of its sound as is wanted. `file` is of floats; see widen-graph.ts.
 */
export const cutGraph = (file: Uint8Array): CutModel => {
  const whole = readFields(file)
  const graphField = whole.find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  const parts = new GraphParts(readFields(graphField.content))
  const latentType = floatsType(anySize('batch'), anySize('channels'), anySize('frames'))
  const latentAs = (number: number): Uint8Array => messageField(number, textField(valueInfo.name, latent), latentType)
  const withGraph = (...fields: Uint8Array[]): Uint8Array =>
    Buffer.concat(whole.map((field) => (field === graphField ? messageField(model.graph, ...fields) : field.whole)))
  return {
    toLatent: withGraph(...parts.neededFor(latent), latentAs(graph.output)),
    toSound: withGraph(...parts.neededFor(sound, latent), latentAs(graph.input), ...parts.output(sound)),
  }
}

/** Fields of a graph, by what is made of what. */
class GraphParts {
  readonly #fields: readonly Field[]
  readonly #inputs = new Map<Field, string[]>()
  readonly #maker = new Map<string, Field>()

  constructor(fields: readonly Field[]) {
    this.#fields = fields
    for (const field of fields) if (field.number === graph.node) this.#addNode(field)
  }

  /** Nodes, constants and inputs that make `output`, in the order of the file; not those behind `given`. */
  neededFor(output: string, given?: string): Uint8Array[] {
    const nodes = new Set<Field>()
    const names = new Set<string>()
    const waiting = [output]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (names.has(name) || name === given) continue
      names.add(name)
      const maker = this.#maker.get(name)
      if (!maker || nodes.has(maker)) continue
      nodes.add(maker)
      waiting.push(...(this.#inputs.get(maker) ?? []))
    }
    if (nodes.size === 0) throw new Error(`the model file makes no ${output}`)
    return this.#fields.filter((field) => nodes.has(field) || isNamed(field, names)).map(({ whole }) => whole)
  }

  output(name: string): Uint8Array[] {
    const declares = ({ number, content }: Field): boolean => number === graph.output && nameIn(content, valueInfo.name) === name
    return this.#fields.filter(declares).map(({ whole }) => whole)
  }

  #addNode(field: Field): void {
    const inside = readFields(field.content)
    const names = (number: number): string[] =>
      inside.filter((one) => one.number === number).map(({ content }) => new TextDecoder().decode(content))
    this.#inputs.set(field, names(node.input))
    for (const name of names(node.output)) this.#maker.set(name, field)
  }
}

const isNamed = ({ number, content }: Field, names: ReadonlySet<string>): boolean =>
  (number === graph.initializer && names.has(nameIn(content, tensor.name))) ||
  (number === graph.input && names.has(nameIn(content, valueInfo.name)))
