import assert from 'node:assert/strict'
import { test } from 'node:test'
import { level, toneLevel, toneToRest } from '#test/sound/spectrum.ts'
import { holdMusic } from './hold-music.ts'
import { sine, tones } from './tone.ts'

test('a sine has its frequency, its level and soft edges', () => {
  const pcm = sine([440], 500, 8000, -10)
  assert.equal(pcm.length, 4000)
  assert.ok(Math.abs(toneLevel(pcm, 440, 8000) + 10) < 0.2)
  assert.ok(toneToRest(pcm.subarray(400, 3600), 440, 8000) > 60)
  assert.ok(Math.abs(pcm[0]!) < 100 && Math.abs(pcm.at(-1)!) < 300)
})

test('several loud sines stay within range', () => {
  const pcm = sine([500, 505], 300, 8000, -1)
  assert.ok(
    pcm.every((sample, i) => i === 0 || Math.abs(sample - pcm[i - 1]!) < 30_000),
    'nothing ran over',
  )
})

const onAndOff = (pcm: Int16Array, rate: number): number[] => {
  const loud = Array.from(
    { length: (pcm.length / rate) * 100 },
    (_, slot) => level(pcm.subarray((slot * rate) / 100, ((slot + 1) * rate) / 100)) > -40,
  )
  return [loud.lastIndexOf(true) * 10 + 10, loud.length * 10]
}

test('call progress tones are 425 Hz in the German cadence', () => {
  for (const rate of [8000, 16000]) {
    assert.deepEqual(onAndOff(tones.ringback(rate), rate), [1000, 5000])
    assert.deepEqual(onAndOff(tones.busy(rate), rate), [480, 960])
    assert.deepEqual(onAndOff(tones.congestion(rate), rate), [240, 480])
    for (const name of ['ringback', 'busy', 'congestion'] as const) {
      const pcm = tones[name](rate)
      assert.ok(toneToRest(pcm.subarray(rate / 50, rate / 5), 425, rate) > 50, name)
    }
    assert.ok(toneToRest(tones.beep(rate).subarray(rate / 50, rate / 5), 1000, rate) > 50)
  }
})

test('hold music loops without a seam at -20 dB and is made once', () => {
  const pcm = holdMusic(8000)
  assert.equal(pcm.length, 16 * 8000)
  assert.ok(Math.abs(level(pcm) + 20) < 0.1)
  assert.ok(
    pcm.every((sample) => Math.abs(sample) < 16_000),
    'no peak is near full scale',
  )
  let maxBytes = 0
  for (let i = 1; i < pcm.length; i++) maxBytes = Math.max(maxBytes, Math.abs(pcm[i]! - pcm[i - 1]!))
  assert.ok(Math.abs(pcm[0]! - pcm.at(-1)!) <= maxBytes)
  for (let second = 0; second < 16; second++) assert.ok(level(pcm.subarray(second * 8000, second * 8000 + 8000)) > -32, `second ${second}`)
  assert.equal(holdMusic(8000), pcm)
})
