import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, messageField, readFields, textField } from '../protobuf.ts'
import { cutGraph, latent } from './cut-graph.ts'

const node = (operator: string, inputs: string[], output: string): Uint8Array =>
  messageField(1, ...inputs.map((name) => textField(1, name)), textField(2, output), textField(4, operator))
const weight = (name: string): Uint8Array => messageField(5, textField(8, name), messageField(9, new Uint8Array(8)))
const declared = (number: number, name: string): Uint8Array => messageField(number, textField(1, name))
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

test('a model is cut where its vocoder begins, each part with what it needs', () => {
  const { toLatent, toSound } = cutGraph(file)
  const parts = [toLatent, toSound].map((part) => fieldOf(part, 7))
  assert.deepEqual(
    parts.map((part) => named(part, 1, 4)),
    [
      ['Read', 'Mul'],
      ['Conv', 'Tanh'],
    ],
  )
  assert.deepEqual(
    parts.map((part) => named(part, 5, 8)),
    [['words'], ['vocoder']],
  )
  assert.deepEqual(
    parts.map((part) => named(part, 11, 1)),
    [
      ['x', 'sid'],
      ['sid', latent],
    ],
  )
  assert.deepEqual(
    parts.map((part) => named(part, 12, 1)),
    [[latent], ['audio']],
  )
  for (const part of [toLatent, toSound]) assert.equal(Buffer.from(fieldOf(part, 2)).toString(), 'made by us')
})

test('another model is refused', () => {
  assert.throws(() => cutGraph(textField(2, 'x')), /no graph/)
  assert.throws(() => cutGraph(messageField(7, node('Tanh', ['x'], 'audio'))), /makes no \/Mul_8_output_0/)
})
