import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JitterBuffer } from './jitter-buffer.ts'

const rate = 16_000
const frame = (value: number): Float32Array => new Float32Array(320).fill(value)
const pulled = (buffer: JitterBuffer, frames = 1): number[] =>
  Array.from({ length: frames }, () => {
    const out = new Float32Array(320)
    buffer.pull(out)
    return out.every((sample) => sample === out[0]) ? (out[0] ?? 0) : Number.NaN
  })

const filledWith = (...values: number[]): JitterBuffer => {
  const buffer = new JitterBuffer(rate)
  for (const value of values) buffer.push(frame(value))
  return buffer
}

test('plays in order after 60 ms of audio', () => {
  const buffer = filledWith(1, 2)
  assert.deepEqual(pulled(buffer), [0])
  buffer.push(frame(3))
  assert.deepEqual(pulled(buffer, 4), [1, 2, 3, 0])
})

test('buffers more after a late frame before it continues', () => {
  const buffer = filledWith(1, 2, 3)
  pulled(buffer, 5)
  for (const value of [4, 5, 6]) buffer.push(frame(value))
  assert.deepEqual(pulled(buffer), [0])
  buffer.push(frame(7))
  assert.deepEqual(pulled(buffer, 4), [4, 5, 6, 7])
})

test('does not count a pause as late', () => {
  const buffer = filledWith(1, 2, 3)
  pulled(buffer, 20)
  for (const value of [4, 5, 6]) buffer.push(frame(value))
  assert.deepEqual(pulled(buffer, 3), [4, 5, 6])
})

test('skips accumulated samples to limit the delay', () => {
  const buffer = filledWith(...Array.from({ length: 40 }, (_, index) => index + 1))
  const heard = pulled(buffer, 20).filter((value) => value > 0)
  assert.ok(heard.length <= 15, `${heard.length} frames`)
  assert.equal(heard.at(-1), 40)
})
