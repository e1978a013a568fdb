import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dynamicEncoder } from './whisper.ts'
import { fieldOf, messageField, numberField, readFields, textField } from '../protobuf.ts'

const table = Float32Array.from({ length: 1500 * 2 }, (_, i) => i / 7)
const positions = messageField(
  5,
  numberField(1, 1500),
  textField(8, 'embed_positions.weight'),
  messageField(9, new Uint8Array(table.buffer)),
)
const weights = messageField(5, textField(8, 'weights'), messageField(9, new Uint8Array(300)))
const node = messageField(1, textField(1, 'embed_positions.weight'))
const output = (name: string): Uint8Array => messageField(12, textField(1, name), messageField(2, new Uint8Array(5)))
const file = Buffer.concat([
  numberField(1, 8),
  messageField(7, node, weights, positions, output('last_hidden_state'), output('attentions'), messageField(13, textField(1, 'stale'))),
  textField(2, 'made by us'),
])

const named = (graph: Uint8Array, number: number, nameField: number): string[] =>
  readFields(graph)
    .filter((field) => field.number === number)
    .map(({ content }) => Buffer.from(fieldOf(content, nameField)).toString())

test('turns the table of positions into an input and removes the fixed size of 30 seconds', () => {
  const { model, positions: found, width } = dynamicEncoder(file)
  assert.equal(width, 2)
  assert.deepEqual(found, table)
  const graph = fieldOf(model, 7)
  assert.deepEqual(named(graph, 5, 8), ['weights'])
  assert.deepEqual(named(graph, 11, 1), ['embed_positions.weight'])
  assert.deepEqual(named(graph, 12, 1), ['last_hidden_state'])
  assert.deepEqual(named(graph, 13, 1), [])
  assert.equal(Buffer.from(fieldOf(model, 2)).toString(), 'made by us')
})

test('rejects another file', () => {
  assert.throws(() => dynamicEncoder(messageField(7, weights)), /no table of positions/)
  assert.throws(() => dynamicEncoder(textField(2, 'x')), /no graph/)
  assert.throws(() => dynamicEncoder(Uint8Array.of(0x3a, 0x80)), /cut off/)
})
