import { elementTypes, model, operatorSet } from '../onnx-format.ts'
import { messageField, numberField, readFields, type Field } from '../protobuf.ts'
import { GraphNodes, newIntegers, newNode, type GraphNode } from './graph-nodes.ts'

/** The first set of operators that can add to some places of a tensor; what else the models use is the same in it. */
const operators = 16
/** What the model knows of the distance between two places: from so many before to as many behind. */
const reach = 4
const offsets = Array.from({ length: 2 * reach + 1 }, (_, nth) => nth - reach)
const [byKey, byValue] = ['.emb_rel_k', '.emb_rel_v']
/** Of `[sentence, head, place, place]`: what is looked at. */
const lookedAt = 3
const constants = [
  newIntegers('near.zero', 0),
  newIntegers('near.one', 1),
  newIntegers('near.axis', [1]),
  newIntegers('near.row', 2),
  newIntegers('near.offsets', offsets),
]

/**
 * Attention of the voices takes the distance of nine neighbours into account. The models compute it for all pairs of places, nearly all of them
 * with weights of 0, and shift the rows into place by copying them several times: most of their time. Here it is computed for the neighbours only.
 * What hides places behind the end of a sentence goes, too: there are none, since sentences are read one by one.
 */
export const nearAttention = (file: Uint8Array): Uint8Array =>
  Buffer.concat(
    readFields(file).map((field) => {
      if (field.number === model.operators) return messageField(model.operators, numberField(operatorSet.version, operators))
      return field.number === model.graph ? messageField(model.graph, ...changedGraph(readFields(field.content))) : field.whole
    }),
  )

/** Steps that take the place of another one. */
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
    // All layers of a part look at the same places: the first one finds them.
    if (!parts.has(part)) changes.set(scored.field, [scored.field.whole, ...placesNodes(part, scored.output)])
    parts.add(part)
  }
  return [...fields.flatMap((field) => changes.get(field) ?? [field.whole]), ...constants]
}

/** Returns what weighs the keys of neighbours. */
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
 * For each place the nine around it, in the shape of `scored`, and whether they are inside of the sentence: those that are not are moved to its
 * edge, and count 0.
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
