import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, messageField, readFields, textField } from '../protobuf.ts'
import { layersOf } from './layered-encoder.ts'

const node = (operator: string, inputs: string[], output: string): Uint8Array =>
  messageField(1, ...inputs.map((name) => textField(1, name)), textField(2, output), textField(4, operator))
const weight = (name: string): Uint8Array => messageField(5, textField(8, name), messageField(9, new Uint8Array(8)))
const declared = (number: number, name: string): Uint8Array => messageField(number, textField(1, name), messageField(2, new Uint8Array(3)))
const [first, second] = ['/layers.0/input_layernorm/Mul_output_0', '/layers.1/input_layernorm/Mul_output_0']
const graph = [
  node('Conv', ['sound', 'ear'], 'heard'),
  node('Norm', ['heard'], first),
  node('Cos', ['turns'], 'cos'),
  node('Turn', [first, 'cos', 'w0'], 'turned'),
  node('Add', ['heard', 'turned'], 'sum'),
  node('Norm', ['sum'], second),
  node('Turn', [second, 'cos', 'w1'], 'last_hidden_state'),
  ...['ear', 'turns', 'w0', 'w1', 'nobody'].map(weight),
  declared(11, 'sound'),
  declared(12, 'last_hidden_state'),
  ...['cos', second, 'turned'].map((name) => declared(13, name)),
]
const file = Buffer.concat([textField(2, 'made by us'), messageField(7, ...graph)])

const named = (part: Uint8Array, number: number, nameField = 1): string[] =>
  readFields(fieldOf(part, 7))
    .filter((field) => field.number === number)
    .map(({ content }) => Buffer.from(fieldOf(content, nameField)).toString())

test('splits an encoder into a model per layer, each with the inputs of earlier and the outputs for later ones', () => {
  const parts = layersOf(file)
  const of = (number: number, nameField?: number): string[][] => parts.map((part) => named(part, number, nameField))
  assert.deepEqual(of(1, 4), [['Conv', 'Norm'], ['Cos', 'Turn', 'Add', 'Norm'], ['Turn']])
  assert.deepEqual(of(5, 8), [['ear'], ['turns', 'w0'], ['w1']])
  assert.deepEqual(of(11), [['sound'], [first, 'heard'], [second, 'cos']])
  assert.deepEqual(of(12), [['heard', first], ['cos', second], ['last_hidden_state']])
  assert.deepEqual(of(13), [[], ['turned'], []])
  for (const part of parts) assert.equal(Buffer.from(fieldOf(part, 2)).toString(), 'made by us')
})

test('keeps a file without layers as one model, and rejects one without a graph', () => {
  const [only, ...more] = layersOf(Buffer.concat([messageField(7, node('Conv', ['sound'], 'heard'), declared(12, 'heard'))]))
  assert.deepEqual([named(only!, 12), more], [['heard'], []])
  assert.throws(() => layersOf(textField(2, 'x')), /no graph/)
})
