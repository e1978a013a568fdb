import {
  elementTypes,
  model,
  operatorSet,
  messageField,
  numberField,
  readFields,
  type Field,
  anySize,
  floatsType,
  graph,
  nameIn,
  node,
  tensor,
  valueInfo,
  textField,
  attribute,
  fieldOf,
  attributeTypes,
} from '../protobuf.ts'

/** One node of a graph. */
interface GraphNode {
  field: Field
  operator: string
  inputs: string[]
  output: string
}

/** Nodes of a graph, by their inputs. */
class GraphNodes {
  readonly all: readonly GraphNode[]
  readonly #readers = new Map<string, GraphNode[]>()

  constructor(fields: readonly Field[]) {
    this.all = fields.filter(({ number }) => number === graph.node).map(nodeOf)
    for (const one of this.all)
      for (const input of new Set(one.inputs)) this.#readers.set(input, [...(this.#readers.get(input) ?? []), one])
  }

  /** Follows the chain of these operators from `output`; throws unless each one is the only reader of its kind. */
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

/** A new node; attributes by name. */
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

/** Constant integers: a list or a scalar. */
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

/** The first operator set that can add to some positions of a tensor; the models' other operators are unchanged in it. */
const operators = 16
/** Relative positions of the model: from this many before to this many behind. */
const reach = 4
const offsets = Array.from({ length: 2 * reach + 1 }, (_, nth) => nth - reach)
const [byKey, byValue] = ['.emb_rel_k', '.emb_rel_v']
/** Axis of `[sentence, head, position, position]` with the attended positions. */
const lookedAt = 3
const constants = [
  newIntegers('near.zero', 0),
  newIntegers('near.one', 1),
  newIntegers('near.axis', [1]),
  newIntegers('near.row', 2),
  newIntegers('near.offsets', offsets),
]

/**
 * The voices' attention uses the relative position of nine neighbouring positions. The models compute it for all pairs, nearly all with
 * weights of 0, and shift the rows into place by copying them several times: most of their time. Here it is computed for the nine only. The
 * mask behind the end of a sentence is removed too: sentences are read one by one, so it masks nothing.
 */
export const nearAttention = (file: Uint8Array): Uint8Array =>
  Buffer.concat(
    readFields(file).map((field) => {
      if (field.number === model.operators) return messageField(model.operators, numberField(operatorSet.version, operators))
      return field.number === model.graph ? messageField(model.graph, ...changedGraph(readFields(field.content))) : field.whole
    }),
  )

/** Replacements of nodes. */
type Changes = Map<Field, Uint8Array[]>

const changedGraph = (fields: readonly Field[]): Uint8Array[] => {
  const nodes = new GraphNodes(fields)
  const changes: Changes = new Map()
  const parts = new Set<string>()
  for (const padding of nodes.all) {
    const [weights = ''] = padding.inputs
    if (padding.operator !== 'Pad' || !weights.endsWith(byKey)) continue
    const part = weights.split('.', 2).join('.')
    const scored = changeAttention(nodes, padding, part, changes)
    // All layers of a part use the same positions: the first one computes them.
    if (!parts.has(part)) changes.set(scored.field, [scored.field.whole, ...placesNodes(part, scored.output)])
    parts.add(part)
  }
  return [...fields.flatMap((field) => changes.get(field) ?? [field.whole]), ...constants]
}

/** Returns the node that weights the keys of the neighbouring positions. */
const changeAttention = (nodes: GraphNodes, padding: GraphNode, part: string, changes: Changes): GraphNode => {
  const [weights = ''] = padding.inputs
  const alone = (padded: GraphNode): GraphNode => {
    const cut = nodes.after(padded.output, 'Slice')
    changes.set(cut.field, [newNode('Identity', padded.inputs.slice(0, 1), cut.output)])
    return nodes.after(cut.output, 'Unsqueeze')
  }
  const scored = nodes.after(alone(padding).output, 'Transpose', 'MatMul')
  const sum = nodes.after(scored.output, 'Pad', 'Reshape', 'Pad', 'Reshape', 'Slice', 'Slice', 'Add')
  const near = `${scored.output}.near`
  changes.set(sum.field, [
    newNode('Mul', [scored.output, `${part}.inside`], near),
    newNode('ScatterElements', [sum.inputs[0] ?? '', `${part}.places`, near], sum.output, { axis: lookedAt, reduction: 'add' }),
  ])
  const hidden = nodes.after(sum.output, 'Where')
  changes.set(hidden.field, [newNode('Identity', [sum.output], hidden.output)])
  const attention = nodes.after(hidden.output, 'Softmax')
  const shifted = nodes.after(attention.output, 'Pad', 'Reshape', 'Pad', 'Reshape', 'Slice')
  const gathered = `${attention.output}.near`
  changes.set(shifted.field, [
    newNode('GatherElements', [attention.output, `${part}.places`], gathered, { axis: lookedAt }),
    newNode('Mul', [gathered, `${part}.inside`], shifted.output),
  ])
  alone(nodes.after(`${weights.slice(0, -byKey.length)}${byValue}`, 'Pad'))
  return scored
}

/**
 * For each position the nine around it, in the shape of `scored`, and whether they are inside the sentence: those outside are moved to its
 * edge and count 0.
 */
const placesNodes = (part: string, scored: string): Uint8Array[] => {
  const named = (name: string): string => `${part}.${name}`
  return [
    newNode('Shape', [scored], named('shape')),
    newNode('Gather', [named('shape'), 'near.row'], named('length')),
    newNode('Range', ['near.zero', named('length'), 'near.one'], named('each')),
    newNode('Unsqueeze', [named('each'), 'near.axis'], named('column')),
    newNode('Add', [named('column'), 'near.offsets'], named('around')),
    newNode('Sub', [named('length'), 'near.one'], named('last')),
    newNode('Max', [named('around'), 'near.zero'], named('notBefore')),
    newNode('Min', [named('notBefore'), named('last')], named('within')),
    newNode('Equal', [named('around'), named('within')], named('isInside')),
    newNode('Cast', [named('isInside')], named('inside'), { to: elementTypes.float32 }),
    newNode('Expand', [named('within'), named('shape')], named('places')),
  ]
}

/** The part of a float model that computes `outputs`, which become its outputs; each has three dimensions. */
export const graphUntil = (file: Uint8Array, ...outputs: readonly string[]): Uint8Array => {
  const whole = readFields(file)
  const graphField = whole.find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  const needed = new GraphParts(readFields(graphField.content)).neededFor(outputs)
  const type = floatsType(anySize('batch'), anySize('channels'), anySize('frames'))
  const given = outputs.map((output) => messageField(graph.output, textField(valueInfo.name, output), type))
  return Buffer.concat(whole.map((field) => (field === graphField ? messageField(model.graph, ...needed, ...given) : field.whole)))
}

/** Fields of a graph, by their dependencies. */
class GraphParts {
  readonly #fields: readonly Field[]
  readonly #inputs = new Map<Field, string[]>()
  readonly #maker = new Map<string, Field>()

  constructor(fields: readonly Field[]) {
    this.#fields = fields
    for (const field of fields) if (field.number === graph.node) this.#addNode(field)
  }

  /** Nodes, constants and inputs that compute `outputs`, in the order of the file. */
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

/** Attributes that name the type of an output. */
const typeAttributes: ReadonlySet<string> = new Set(['to', 'dtype'])

/**
 * The models are stored in half floats to be small. Processors are slow with them: they compute them one by one, or convert them before and
 * after each step. So all of them become floats.
 */
export const widenGraph = (file: Uint8Array): Uint8Array =>
  changed(file, (field) => (field.number === model.graph ? messageField(model.graph, changed(field.content, wideInGraph)) : undefined))

type Change = (field: Field) => Uint8Array | undefined

/** Replaces fields; unchanged ones stay as they are. */
const changed = (message: Uint8Array, change: Change): Uint8Array =>
  Buffer.concat(readFields(message).map((field) => change(field) ?? field.whole))

const wideInGraph: Change = ({ number, content }) => {
  if (number === graph.initializer) return messageField(number, wideTensor(content))
  if (number === graph.node) return messageField(number, changed(content, wideInNode))
  return number === graph.valueInfo ? new Uint8Array(0) : undefined // they name the old types
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
