import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tensor } from 'onnxruntime-node'
import { floats } from '../onnx.ts'
import { joined, slicesOf } from './layered-encoder.ts'

/** Sums seven positions with a stride of three, in each of two channels. */
const convolve = (taken: Tensor): Tensor => {
  const length = taken.dims[2] ?? 0
  const places = Math.floor((length - 7) / 3) + 1
  const sum = (row: number, place: number): number =>
    Array.from({ length: 7 }, (_, at) => Number(taken.data[row * length + place * 3 + at])).reduce((all, one) => all + one, 0)
  const given = [0, 1].flatMap((row) => Array.from({ length: places }, (_, place) => sum(row, place)))
  return floats(Float32Array.from(given), 1, 2, places)
}

test('the sliced convolution equals the whole one for any length', () => {
  for (const [length, slices] of [
    [7, 1],
    [306, 1],
    [307, 2],
    [308, 2],
    [604, 2],
    [607, 3],
    [1_249, 5],
  ] as const) {
    const whole = floats(
      Float32Array.from({ length: 2 * length }, (_, at) => at % 101),
      1,
      2,
      length,
    )
    const parts = slicesOf(whole)
    const [once, sliced] = [convolve(whole), joined(parts.map(convolve))]
    assert.equal(parts.length, slices, String(length))
    assert.deepEqual([sliced.dims, sliced.data], [once.dims, once.data], String(length))
  }
})
