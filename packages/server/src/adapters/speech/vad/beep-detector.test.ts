import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine } from '#media/sound/tone.ts'
import { BeepDetector, isKeySound } from './stream-vad.ts'
import { windowSamples } from './echo-guard.ts'

/** Times at which a tone is reported, in milliseconds; it begins after a second. */
const beeps = (frequencies: number[], ms: number, level = -14): number[] => {
  const notified: number[] = []
  const detector = new BeepDetector((at) => notified.push(at / 8))
  const sound = new Float32Array(8 * (1000 + ms + 500))
  sine(frequencies, ms, 8000, level).forEach((sample, i) => (sound[8000 + i] = sample / 32_768))
  for (let at = 0; at + windowSamples <= sound.length; at += windowSamples) detector.look(sound.subarray(at, at + windowSamples), at)
  return notified
}

test('reports a pure tone once, at its end, between 400 and 2100 Hz and at any level', () => {
  for (const hertz of [405, 440, 480, 640, 1000, 1004, 1400, 2080]) {
    for (const level of [-6, -38]) {
      const notified = beeps([hertz], 250, level)
      assert.equal(notified.length, 1, `${hertz} Hz`)
      assert.ok(notified[0]! >= 1200 && notified[0]! <= 1290, `${hertz} Hz at ${notified[0]}`)
    }
  }
  assert.equal(beeps([1000], 2000).length, 1)
})

test('ignores tones that are too short, too long, too high or too low, and call progress tones', () => {
  for (const [frequencies, ms] of [
    [[1000], 120],
    [[1000], 4000],
    [[350], 300],
    [[2400], 300],
    [[425], 500],
    [[440, 480], 1000],
    [[400, 450], 400],
    [[350, 440], 400],
    [[480, 620], 500],
    [[697, 1209], 300],
    [[941, 1477], 300],
  ] as const)
    assert.deepEqual(beeps([...frequencies], ms), [], `${frequencies.join('+')} Hz, ${ms} ms`)
})

test('recognizes DTMF by its two tones, even if one of them is weaker', () => {
  const windowOf = (...tones: [number, number][]): Float32Array =>
    Float32Array.from({ length: windowSamples }, (_, i) =>
      tones.reduce((sum, [hertz, level]) => sum + level * Math.sin((2 * Math.PI * hertz * i) / 8000), 0),
    )
  for (const low of [697, 770, 852, 941])
    for (const high of [1209, 1336, 1477, 1633]) {
      assert.ok(isKeySound(windowOf([low, 0.1], [high, 0.1])))
      assert.ok(isKeySound(windowOf([low, 0.1], [high, 0.04])))
    }
  assert.ok(!isKeySound(windowOf([697, 0.1])))
  assert.ok(!isKeySound(windowOf([250, 0.1], [500, 0.08], [750, 0.05], [1250, 0.02])), 'a vowel')
  assert.ok(!isKeySound(new Float32Array(windowSamples)))
})
