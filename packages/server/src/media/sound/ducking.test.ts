import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ducking } from './ducking.ts'
import { sine } from './tone.ts'

const rms = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
const decibels = (ratio: number): number => 20 * Math.log10(ratio)
const peakStep = (samples: Int16Array): number =>
  samples.reduce((most, sample, index) => (index === 0 ? 0 : Math.max(most, Math.abs(sample - samples[index - 1]!))), 0)

/** In frames of 20 ms, as a stream does it. */
const through = (ducking: Ducking, samples: Int16Array, rate: number, at: Readonly<Record<number, boolean>>): Int16Array => {
  const out = samples.slice()
  for (let frame = 0; frame * (rate / 50) < out.length; frame++) {
    const wanted = at[frame * 20]
    if (wanted !== undefined) ducking.ducked = wanted
    if (!ducking.idle) ducking.process(out.subarray((frame * rate) / 50, ((frame + 1) * rate) / 50), rate)
  }
  return out
}

for (const rate of [8000, 16_000, 48_000])
  test(`12 dB softer after 40 ms and as loud as before after 40 more, sample for sample the same elsewhere (${rate} Hz)`, () => {
    const tone = sine([440], 600, rate)
    const out = through(new Ducking(), tone, rate, { 200: true, 400: false })
    const part = (samples: Int16Array, from: number, to: number) => samples.subarray((from * rate) / 1000, (to * rate) / 1000)
    assert.deepEqual(part(out, 0, 200), part(tone, 0, 200))
    assert.ok(Math.abs(decibels(rms(part(out, 240, 400)) / rms(part(tone, 240, 400))) + 12) < 0.1)
    assert.deepEqual(part(out, 440, 600), part(tone, 440, 600))
  })

test('no click: neighbouring samples are never further apart than in the sound itself, also when it turns round in the middle', () => {
  const tone = sine([300], 1000, 8000)
  for (const turn of [220, 240, 260]) {
    const out = through(new Ducking(), tone, 8000, { 200: true, [turn]: false, 400: true, 600: false })
    assert.ok(peakStep(out) <= peakStep(tone) + 1)
  }
  const constant = new Int16Array(8000).fill(10_000)
  const curve = through(new Ducking(), constant, 8000, { 200: true, 220: false, 240: true })
  assert.ok(peakStep(curve) < 40, 'no step of more than 0.4 %')
})

test('what begins after a silence begins at its level', () => {
  const ducking = new Ducking()
  ducking.ducked = true
  ducking.settle()
  const soft = new Int16Array(160).fill(10_000)
  ducking.process(soft, 8000)
  assert.equal(soft[0], 2512)
  ducking.ducked = false
  ducking.settle()
  assert.equal(ducking.idle, true)
})
