import assert from 'node:assert/strict'
import { test } from 'node:test'
import { level, toneLevel, toneToRest } from '#test/sound/spectrum.ts'
import { PieceResampler, resampleSound, Resampler } from './resample.ts'
import { sine } from '../sound/tone.ts'

const pairs = [
  [8000, 16_000],
  [16_000, 8000],
  [48_000, 8000],
  [8000, 48_000],
  [24_000, 8000],
  [48_000, 16_000],
  [16_000, 48_000],
] as const

const stream = (pcm: Int16Array, from: number, to: number): Int16Array => {
  const resampler = new Resampler(from, to)
  const out = new Int16Array((pcm.length * to) / from)
  let at = 0
  for (let start = 0; start < pcm.length; start += from / 50) {
    const count = resampler.process(pcm.subarray(start, start + from / 50), out, at)
    assert.equal(count, to / 50, 'every frame gives a whole frame')
    at += count
  }
  return out
}

for (const [from, to] of pairs) {
  test(`${from} → ${to}: keeps tones below 3400 Hz at their level without artefacts`, () => {
    for (const frequency of [300, 1000, 2000, 3000, 3400]) {
      const out = stream(sine([frequency], 400, from, -6), from, to)
      const middle = out.subarray(to / 10, (3 * to) / 10)
      assert.ok(Math.abs(toneLevel(middle, frequency, to) + 6) < 0.3, `${frequency} Hz: ${toneLevel(middle, frequency, to)} dB`)
      assert.ok(toneToRest(middle, frequency, to) > 55, `${frequency} Hz: ${toneToRest(middle, frequency, to)} dB above the rest`)
    }
  })
}

for (const [from, to] of pairs.filter(([from, to]) => from > to)) {
  test(`${from} → ${to}: suppresses aliases in the voice band`, () => {
    const nyquist = to / 2
    for (let frequency = nyquist * 1.02; frequency < from / 2; frequency += to / 40) {
      const out = stream(sine([frequency], 300, from, -3), from, to).subarray(to / 10, to / 5)
      if (frequency > nyquist * 1.15) assert.ok(level(out) + 3 < -50, `${frequency} Hz is left at ${level(out) + 3} dB`)
      for (let voice = 0; voice < nyquist * 0.84; voice += to / 80) {
        assert.ok(toneLevel(out, voice, to) + 3 < -50, `${frequency} Hz is heard at ${voice} Hz`)
      }
    }
  })
}

test('keeps the length and position of a sound, also at music rates', () => {
  for (const from of [11_025, 22_050, 44_100, 32_000]) {
    const pcm = sine([1000], 200, from, -6)
    const out = resampleSound(pcm, from, 8000)
    assert.ok(Math.abs(out.length - 1600) <= 1, `${out.length} samples`)
    assert.ok(toneToRest(out.subarray(200, 1400), 1000, 8000) > 55)
    const expected = sine([1000], 200, 8000, -6)
    assert.ok(level(out.subarray(300, 1300).map((sample, i) => sample - expected[300 + i]!)) < -40, 'not shifted')
  }
  const same = sine([1000], 20, 8000)
  assert.equal(resampleSound(same, 8000, 8000), same)
})

test('saturates the loudest square wave instead of overflowing', () => {
  const square = Int16Array.from({ length: 1600 }, (_, i) => (i % 40 < 20 ? 32767 : -32768))
  const out = stream(square, 8000, 16_000)
  for (let i = 400; i < out.length - 80; i += 80)
    assert.ok(out.subarray(i, i + 30).every((sample) => sample > 0) || out.subarray(i, i + 30).some((sample) => sample < 0))
  assert.ok(out.includes(32767) && out.includes(-32768))
})

test('resamples chunks like the whole sound', () => {
  const sound = Int16Array.from({ length: 10_007 }, (_, i) => Math.round(12_000 * Math.sin(i / 9) + 3_000 * Math.sin(i / 2.5)))
  for (const from of [44_100, 46_700, 8000]) {
    const pieces = new PieceResampler(from, 16_000)
    const parts = [0, 512, 513, 4_000, 10_007].map((to, i, all) => pieces.add(sound.subarray(all[i - 1] ?? 0, to)))
    const joined = Int16Array.from([...parts, pieces.end()].flatMap((part) => [...part]))
    assert.deepEqual(joined, resampleSound(sound, from, 16_000))
    assert.equal(joined.length, Math.round((sound.length * 16_000) / from))
  }
})
