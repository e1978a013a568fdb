import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ducking } from './layers.ts'
import { sine } from './tone.ts'

const rms = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
const decibels = (ratio: number): number => 20 * Math.log10(ratio)
const peakStep = (samples: Int16Array): number =>
  samples.reduce((max, sample, index) => (index === 0 ? 0 : Math.max(max, Math.abs(sample - samples[index - 1]!))), 0)

/** In frames of 10 ms: `at` maps milliseconds to the wanted state. */
const through = (ducking: Ducking, samples: Int16Array, rate: number, at: Readonly<Record<number, boolean>>): Int16Array => {
  const out = samples.slice()
  for (let frame = 0; frame * (rate / 100) < out.length; frame++) {
    const wanted = at[frame * 10]
    if (wanted !== undefined) ducking.ducked = wanted
    if (!ducking.idle) ducking.process(out.subarray((frame * rate) / 100, ((frame + 1) * rate) / 100), rate)
  }
  return out
}

for (const rate of [8000, 16_000, 48_000])
  test(`lowers by 12 dB within 20 ms and restores within 20 ms, bit-exact elsewhere (${rate} Hz)`, () => {
    const tone = sine([440], 600, rate)
    const out = through(new Ducking(), tone, rate, { 200: true, 400: false })
    const part = (samples: Int16Array, from: number, to: number) => samples.subarray((from * rate) / 1000, (to * rate) / 1000)
    assert.deepEqual(part(out, 0, 200), part(tone, 0, 200))
    assert.ok(Math.abs(decibels(rms(part(out, 220, 400)) / rms(part(tone, 220, 400))) + 12) < 0.1)
    assert.deepEqual(part(out, 420, 600), part(tone, 420, 600))
  })

test('makes no click: sample steps never exceed those of the sound, also when reversed midway', () => {
  const tone = sine([300], 1000, 8000)
  for (const turn of [210, 220, 230]) {
    const out = through(new Ducking(), tone, 8000, { 200: true, [turn]: false, 400: true, 600: false })
    assert.ok(peakStep(out) <= peakStep(tone) + 1)
  }
  const constant = new Int16Array(8000).fill(10_000)
  const curve = through(new Ducking(), constant, 8000, { 200: true, 210: false, 220: true })
  assert.ok(peakStep(curve) < 80, 'no step of more than 0.8 %')
})

test('sound after silence starts at its target level', () => {
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
