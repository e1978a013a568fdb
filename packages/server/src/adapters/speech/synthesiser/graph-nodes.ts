import { attribute, attributeTypes, elementTypes, graph, node, tensor } from '../onnx-format.ts'
import { messageField, numberField, readFields, textField, type Field } from '../protobuf.ts'

/** One step of a model. */
export interface GraphNode {
  field: Field
  operator: string
  inputs: string[]
  output: string
}

/** The steps of a graph, by what they read. */
export class GraphNodes {
  readonly all: readonly GraphNode[]
  readonly #readers = new Map<string, GraphNode[]>()

  constructor(fields: readonly Field[]) {
    this.all = fields.filter(({ number }) => number === graph.node).map(nodeOf)
    for (const one of this.all)
      for (const input of new Set(one.inputs)) this.#readers.set(input, [...(this.#readers.get(input) ?? []), one])
  }

  /** The only one of these operators, one after the other, that reads what the one before makes. */
  after(output: string, ...operators: readonly string[]): GraphNode {
    const [operator, ...others] = operators
    const [found, ...more] = (this.#readers.get(output) ?? []).filter((one) => one.operator === operator)
    if (!found || more.length > 0) throw new Error(`the model file has ${found ? 'several' : 'no'} ${operator} of ${output}`)
    return others.length > 0 ? this.after(found.output, ...others) : found
  }
}

const nodeOf = (field: Field): GraphNode => {
  const inside = readFields(field.content)
  const texts = (number: number): string[] =>
    inside.filter((one) => one.number === number).map(({ content }) => Buffer.from(content).toString())
  return { field, operator: texts(node.operator)[0] ?? '', inputs: texts(node.input), output: texts(node.output)[0] ?? '' }
}

/** A step for a graph; attributes by their names. */
export const newNode = (
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, number | string>> = {},
): Uint8Array =>
  messageField(
    graph.node,
    ...inputs.map((name) => textField(node.input, name)),
    textField(node.output, output),
    textField(node.operator, operator),
    ...Object.entries(attributes).map(([name, value]) => messageField(node.attribute, textField(attribute.name, name), ...valueOf(value))),
  )

const valueOf = (value: number | string): Uint8Array[] =>
  typeof value === 'string'
    ? [textField(attribute.text, value), numberField(attribute.type, attributeTypes.text)]
    : [numberField(attribute.integer, value), numberField(attribute.type, attributeTypes.integer)]

/** Constant integers for a graph: a list, or a single one. */
export const newIntegers = (name: string, values: number | readonly number[]): Uint8Array => {
  const list = BigInt64Array.from([values].flat(), (value) => BigInt(value))
  return messageField(
    graph.initializer,
    ...(typeof values === 'number' ? [] : [numberField(tensor.dimensions, list.length)]),
    numberField(tensor.type, elementTypes.int64),
    textField(tensor.name, name),
    messageField(tensor.rawData, new Uint8Array(list.buffer)),
  )
}
