import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, messageField, readFields, textField } from '../protobuf.ts'
import { graphUntil } from './voice-graph.ts'

const node = (operator: string, inputs: string[], output: string): Uint8Array =>
  messageField(1, ...inputs.map((name) => textField(1, name)), textField(2, output), textField(4, operator))
const weight = (name: string): Uint8Array => messageField(5, textField(8, name), messageField(9, new Uint8Array(8)))
const declared = (number: number, name: string): Uint8Array => messageField(number, textField(1, name))
const latent = 'latent'
const graph = [
  node('Read', ['x', 'words'], 'read'),
  node('Read', ['x'], 'unused'),
  node('Mul', ['read', 'sid'], latent),
  node('Conv', [latent, 'vocoder', 'sid'], 'rough'),
  node('Tanh', ['rough'], 'audio'),
  ...['words', 'vocoder', 'nobody'].map(weight),
  ...['x', 'sid'].map((name) => declared(11, name)),
  declared(12, 'audio'),
  declared(13, 'read'),
]
const file = Buffer.concat([textField(2, 'made by us'), messageField(7, ...graph)])

const named = (fields: Uint8Array, number: number, nameField: number): string[] =>
  readFields(fields)
    .filter((field) => field.number === number)
    .map(({ content }) => Buffer.from(fieldOf(content, nameField)).toString())

test('keeps only the part of a model that the outputs need', () => {
  const part = graphUntil(file, latent, 'read')
  const kept = fieldOf(part, 7)
  assert.deepEqual(named(kept, 1, 4), ['Read', 'Mul'])
  assert.deepEqual(named(kept, 5, 8), ['words'])
  assert.deepEqual(named(kept, 11, 1), ['x', 'sid'])
  assert.deepEqual(named(kept, 12, 1), [latent, 'read'])
  assert.equal(Buffer.from(fieldOf(part, 2)).toString(), 'made by us')
})

test('rejects another model', () => {
  assert.throws(() => graphUntil(textField(2, 'x'), latent), /no graph/)
  assert.throws(() => graphUntil(messageField(7, node('Tanh', ['x'], 'audio')), latent), /makes no latent/)
})
