import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, messageField, numberField, readFields, textField } from '../protobuf.ts'
import { widenGraph } from './voice-graph.ts'

const half = 10
const whole = 1
const int64 = 7
/** 1, -2, 0.5, the smallest, the largest, 0, infinity. */
const halves = Uint16Array.of(0x3c00, 0xc000, 0x3800, 0x0001, 0x7bff, 0x0000, 0x7c00)
const numbers = Float32Array.of(1, -2, 0.5, 2 ** -24, 65_504, 0, Infinity)

const tensor = (number: number, type: number, values: ArrayLike<number> & { buffer: ArrayBufferLike }): Uint8Array =>
  messageField(
    number,
    numberField(1, values.length),
    numberField(2, type),
    textField(8, 'w'),
    messageField(9, new Uint8Array(values.buffer)),
  )
const attribute = (name: string, ...value: Uint8Array[]): Uint8Array => messageField(5, textField(1, name), ...value)
const node = (...attributes: Uint8Array[]): Uint8Array => messageField(1, textField(1, 'x'), ...attributes)

test('converts all half floats to floats and changes no other field', () => {
  const counts = Int32Array.of(10, 10)
  const model = (type: number, values: Uint16Array | Float32Array, ...more: Uint8Array[]): Uint8Array =>
    Buffer.concat([
      textField(2, 'made by us'),
      messageField(
        7,
        node(attribute('to', numberField(3, type))),
        node(attribute('to', numberField(3, int64))),
        node(attribute('axis', numberField(3, half))),
        node(attribute('value', tensor(5, type, values))),
        tensor(5, type, values),
        tensor(5, int64, counts),
        ...more,
      ),
    ])
  const widened = widenGraph(model(half, halves, messageField(13, textField(1, 'names the old type'))))
  assert.deepEqual(Buffer.from(widened), model(whole, numbers))
  assert.equal(readFields(fieldOf(widened, 7)).length, 6)
})
