import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toneLevel } from '#test/sound/spectrum.ts'
import { Background } from './layers.ts'
import { sine } from './tone.ts'

const under = (background: Background, pcm: Int16Array, rate: number): Int16Array => {
  const mixed = new Int16Array(pcm.length)
  const frame = rate / 50
  for (let at = 0; at < pcm.length; at += frame) background.under(pcm.subarray(at, at + frame), mixed.subarray(at, at + frame), rate)
  return mixed
}

test('mixes at the level of its volume, at every rate of both', () => {
  for (const own of [8000, 16_000] as const) {
    for (const rate of [8000, 16_000, 48_000]) {
      // A whole number of waves, so that the loop has no audible seam.
      const hum = sine([500], 400, own)
        .subarray(0, own / 5)
        .map((_, i) => 6554 * Math.sin((2 * Math.PI * 500 * i) / own))
      const mixed = under(new Background(hum, own, 0.25), sine([1200], 600, rate), rate)
      const settled = mixed.subarray(rate / 5, (rate * 2) / 5)
      assert.ok(Math.abs(toneLevel(settled, 500, rate) + 26) < 0.5, `${own} in ${rate}: ${toneLevel(settled, 500, rate)}`)
      assert.ok(Math.abs(toneLevel(settled, 1200, rate) + 14) < 0.5)
    }
  }
})

test('clips at full scale instead of wrapping, and may write in place', () => {
  const frame = new Int16Array(160).map((_, i) => (i % 2 ? 30_000 : -30_000))
  new Background(
    new Int16Array(1000).map((_, i) => (i % 2 ? 30_000 : -30_000)),
    8000,
    1,
  ).under(frame, frame, 8000)
  assert.ok(frame.every((sample, i) => sample === (i % 2 ? 32_767 : -32_768)))
})

test('an empty sound is silence, and the volume is limited', () => {
  const frame = sine([600], 20, 8000)
  assert.deepEqual(under(new Background(new Int16Array(), 8000, 1), frame, 8000), frame)
  assert.deepEqual(under(new Background(sine([900], 40, 16_000), 16_000, -3), frame, 8000), frame)
  const loud = under(new Background(new Int16Array(10).fill(100), 8000, 7), new Int16Array(160), 8000)
  assert.ok(loud.every((sample) => sample === 100))
})
