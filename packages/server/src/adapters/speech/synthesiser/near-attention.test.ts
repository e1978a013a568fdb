import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  attribute,
  elementTypes,
  floatsType,
  graph,
  model,
  node,
  operatorSet,
  tensor,
  valueInfo,
  fieldOf,
  messageField,
  numberField,
  readFields,
  textField,
} from '../protobuf.ts'
import { floats, openSession } from '../onnx.ts'
import { graphUntil, nearAttention, newIntegers, newNode } from './voice-graph.ts'

const [heads, depth, reach] = [2, 4, 4]
const neighbours = 2 * reach + 1
const waves = (length: number, from: number): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin((from + i) * 12.9898))
const [keyWeights, valueWeights] = [waves(neighbours * depth, 300), waves(neighbours * depth, 700)]

const weights = (name: string, values: Float32Array): Uint8Array =>
  messageField(
    graph.initializer,
    ...[1, neighbours, depth].map((size) => numberField(tensor.dimensions, size)),
    numberField(tensor.type, elementTypes.float32),
    textField(tensor.name, name),
    messageField(tensor.rawData, new Uint8Array(values.buffer)),
  )
const list = { field: 8, type: 7 }
/** Transposes the last two dimensions. */
const turn = (input: string, output: string): Uint8Array => {
  const order = [0, 1, 3, 2].map((axis) => numberField(list.field, axis))
  const permutation = messageField(node.attribute, textField(attribute.name, 'perm'), ...order, numberField(attribute.type, list.type))
  return messageField(
    graph.node,
    textField(node.input, input),
    textField(node.output, output),
    textField(node.operator, 'Transpose'),
    permutation,
  )
}
/** Nodes that each read the output of the previous one. */
const chain = (from: string, to: string, ...operators: string[]): Uint8Array[] =>
  operators.map((operator, nth) =>
    newNode(operator, [nth === 0 ? from : `${to}.${nth - 1}`], nth === operators.length - 1 ? to : `${to}.${nth}`),
  )
/** The shifting nodes are only named: all of them must be removed. */
const shifting = ['Pad', 'Reshape', 'Pad', 'Reshape', 'Slice']

const layer = (name: string, query: string, output: string): Uint8Array[] => [
  weights(`model.part.${name}.emb_rel_k`, keyWeights),
  weights(`model.part.${name}.emb_rel_v`, valueWeights),
  ...chain(`model.part.${name}.emb_rel_k`, `${name}/kCut`, 'Pad', 'Slice'),
  newNode('Unsqueeze', [`${name}/kCut`, 'first'], `${name}/k`),
  turn(`${name}/k`, `${name}/kTurned`),
  newNode('MatMul', [query, `${name}/kTurned`], `${name}/scored`),
  ...chain(`${name}/scored`, `${name}/shifted`, ...shifting, 'Slice'),
  turn('keys', `${name}/keysTurned`),
  newNode('MatMul', [query, `${name}/keysTurned`], `${name}/scores`),
  newNode('Add', [`${name}/scores`, `${name}/shifted`], `${name}/sum`),
  newNode('Where', ['mask', 'large', `${name}/sum`], `${name}/seen`),
  newNode('Softmax', [`${name}/seen`], `${name}/attention`, { axis: 3 }),
  newNode('MatMul', [`${name}/attention`, 'values'], `${name}/far`),
  ...chain(`${name}/attention`, `${name}/shiftedBack`, ...shifting),
  ...chain(`model.part.${name}.emb_rel_v`, `${name}/vCut`, 'Pad', 'Slice'),
  newNode('Unsqueeze', [`${name}/vCut`, 'first'], `${name}/v`),
  newNode('MatMul', [`${name}/shiftedBack`, `${name}/v`], `${name}/near`),
  newNode('Add', [`${name}/far`, `${name}/near`], output),
]
const operators = (version: number): Uint8Array => messageField(model.operators, numberField(operatorSet.version, version))
const versionOf = (file: Uint8Array): Uint8Array => fieldOf(fieldOf(file, model.operators), operatorSet.version)
const twoLayers = Buffer.concat([
  numberField(1, 7),
  operators(14),
  messageField(
    model.graph,
    textField(2, 'attention'),
    ...layer('one', 'queries', 'between'),
    ...layer('two', 'between', 'seen'),
    newNode('Squeeze', ['seen', 'first'], 'output'),
    newIntegers('first', [0]),
    ...['queries', 'keys', 'values'].map((name) => messageField(graph.input, textField(valueInfo.name, name), floatsType())),
  ),
])

/** By definition, one number after the other. */
const attended = (queries: Float32Array, keys: Float32Array, values: Float32Array, length: number): Float32Array => {
  const made = new Float32Array(queries.length)
  const dot = (one: Float32Array, at: number, other: Float32Array, from: number): number =>
    Array.from({ length: depth }, (_, i) => one[at + i]! * other[from + i]!).reduce((sum, product) => sum + product)
  for (let head = 0; head < heads; head++)
    for (let place = 0; place < length; place++) {
      const at = (head * length + place) * depth
      const distance = (other: number): number | undefined =>
        Math.abs(other - place) <= reach ? (other - place + reach) * depth : undefined
      const others = Array.from({ length }, (_, other) => other)
      const powers = others.map((other) => {
        const near = distance(other)
        return Math.exp(
          dot(queries, at, keys, (head * length + other) * depth) + (near === undefined ? 0 : dot(queries, at, keyWeights, near)),
        )
      })
      const sum = powers.reduce((all, power) => all + power)
      for (const other of others)
        for (let i = 0; i < depth; i++) {
          const near = distance(other)
          const value = values[(head * length + other) * depth + i]! + (near === undefined ? 0 : valueWeights[near + i]!)
          made[at + i]! += (powers[other]! / sum) * value
        }
    }
  return made
}

for (const length of [1, 3, 9, 40]) {
  test(`attention over ${length} positions matches the definition, without nodes for distant pairs`, async () => {
    const near = graphUntil(nearAttention(twoLayers), 'output')
    const left = readFields(fieldOf(near, model.graph)).map(({ content }) => Buffer.from(fieldOf(content, node.operator)).toString())
    for (const operator of ['Pad', 'Slice', 'Reshape', 'Where']) assert.ok(!left.includes(operator), operator)
    const [queries, keys, values] = [0, 1000, 2000].map((from) => waves(heads * length * depth, from)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    const shaped = (numbers: Float32Array): ReturnType<typeof floats> => floats(numbers, 1, heads, length, depth)
    const session = await openSession(near, 1)
    const { output } = await session.run({ queries: shaped(queries), keys: shaped(keys), values: shaped(values) })
    const expected = attended(attended(queries, keys, values, length), keys, values, length)
    const made = output?.data as Float32Array
    assert.equal(made.length, expected.length)
    expected.forEach((value, i) => assert.ok(Math.abs(made[i]! - value) < 1e-5, `number ${i}`))
    await session.release()
  })
}

test('rejects a model with another form of attention', () => {
  const other = messageField(model.graph, ...chain('model.part.one.emb_rel_k', 'cut', 'Pad', 'Gather'))
  assert.throws(() => nearAttention(other), /has no Slice of cut\.0/)
  const twice = messageField(model.graph, ...chain('a.b.emb_rel_k', 'cut', 'Pad', 'Slice'), ...chain('cut.0', 'again', 'Slice'))
  assert.throws(() => nearAttention(twice), /has several Slice of cut\.0/)
})

test('raises the operator set to one with scatter-add', () => {
  assert.deepEqual([...versionOf(nearAttention(twoLayers))], [16])
})
