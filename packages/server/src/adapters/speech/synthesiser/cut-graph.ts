import { anySize, floatsType, graph, model, nameIn, node, tensor, valueInfo } from '../onnx-format.ts'
import { messageField, readFields, textField, type Field } from '../protobuf.ts'

/** Of a model of floats (see widen-graph.ts) as much as makes `outputs`, which are what it gives then; each has three dimensions. */
export const graphUntil = (file: Uint8Array, ...outputs: readonly string[]): Uint8Array => {
  const whole = readFields(file)
  const graphField = whole.find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  const needed = new GraphParts(readFields(graphField.content)).neededFor(outputs)
  const type = floatsType(anySize('batch'), anySize('channels'), anySize('frames'))
  const given = outputs.map((output) => messageField(graph.output, textField(valueInfo.name, output), type))
  return Buffer.concat(whole.map((field) => (field === graphField ? messageField(model.graph, ...needed, ...given) : field.whole)))
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

  /** Nodes, constants and inputs that make `outputs`, in the order of the file. */
  neededFor(outputs: readonly string[]): Uint8Array[] {
    for (const output of outputs) if (!this.#maker.has(output)) throw new Error(`the model file makes no ${output}`)
    const nodes = new Set<Field>()
    const names = new Set<string>()
    const waiting = [...outputs]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (names.has(name)) continue
      names.add(name)
      const maker = this.#maker.get(name)
      if (!maker || nodes.has(maker)) continue
      nodes.add(maker)
      waiting.push(...(this.#inputs.get(maker) ?? []))
    }
    return this.#fields.filter((field) => nodes.has(field) || isNamed(field, names)).map(({ whole }) => whole)
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
