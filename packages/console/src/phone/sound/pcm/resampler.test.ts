import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resampler } from './resampler.ts'

const tone = (hz: number, rate: number, seconds: number): Float32Array =>
  Float32Array.from({ length: rate * seconds }, (_, index) => Math.sin((2 * Math.PI * hz * index) / rate))

/** In AudioWorklet blocks of 128 samples. */
const inBlocks = (samples: Float32Array, resampler: Resampler): Float32Array => {
  const parts: number[] = []
  for (let at = 0; at < samples.length; at += 128) parts.push(...resampler.push(samples.subarray(at, at + 128)))
  return Float32Array.from(parts)
}

/** Share of a tone in the middle of the samples: 1 is all. */
const share = (samples: Float32Array, hz: number, rate: number): number => {
  const middle = samples.subarray(rate / 10, rate / 10 + rate / 2)
  let [sine, cosine] = [0, 0]
  for (const [index, sample] of middle.entries()) {
    sine += sample * Math.sin((2 * Math.PI * hz * index) / rate)
    cosine += sample * Math.cos((2 * Math.PI * hz * index) / rate)
  }
  return (2 * Math.hypot(sine, cosine)) / middle.length
}

for (const [from, to] of [
  [48_000, 16_000],
  [44_100, 16_000],
  [16_000, 48_000],
  [16_000, 44_100],
  [16_000, 16_000],
] as const)
  test(`keeps frequencies that both rates carry: ${from} → ${to}`, () => {
    for (const hz of [300, 1_000, 4_000]) {
      const out = inBlocks(tone(hz, from, 1), new Resampler(from, to))
      assert.ok(Math.abs(out.length - to) < 128, `${out.length} samples in a second`)
      assert.ok(Math.abs(share(out, hz, to) - 1) < 0.02, `${hz} Hz: ${share(out, hz, to)}`)
    }
  })

test('removes frequencies above the lower rate without aliasing', () => {
  const out = inBlocks(tone(11_000, 48_000, 1), new Resampler(48_000, 16_000))
  assert.ok(share(out, 5_000, 16_000) < 0.01)
})
