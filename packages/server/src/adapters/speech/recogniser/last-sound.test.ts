import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastSound } from './engines.ts'

/** A voice of five harmonics: pitch and loudness change from the first to the last value within `ms`. */
const voice = (ms: number, [from, to]: [number, number], [loud, soft]: [number, number]): Int16Array => {
  let phase = 0
  return Int16Array.from({ length: ms * 8 }, (_, index) => {
    const part = index / (ms * 8)
    phase += (2 * Math.PI * (from + (to - from) * part)) / 8000
    const sum = [1, 2, 3, 4, 5].reduce((all, harmonic) => all + Math.sin(phase * harmonic) / harmonic, 0)
    return Math.round(sum * (loud + (soft - loud) * part))
  })
}

const joined = (...sounds: Int16Array[]): Int16Array => Int16Array.from(sounds.flatMap((sound) => [...sound]))

test('reports lower pitch and energy for a voice that falls at the end', () => {
  const even = voice(1000, [180, 180], [4000, 4000])
  const sinking = lastSound(joined(even, voice(300, [180, 120], [4000, 1000]), new Int16Array(1600)))
  assert.ok(sinking && sinking.energyDb < -4 && sinking.againstMedian < -2, JSON.stringify(sinking))
  const rising = lastSound(joined(even, voice(300, [180, 260], [4000, 5000])))
  assert.ok(rising && rising.energyDb > 0 && rising.aboveLow > 2 && rising.againstMedian > 2, JSON.stringify(rising))
  const same = lastSound(joined(even, even))
  assert.ok(same && Math.abs(same.energyDb) < 0.5 && Math.abs(same.againstMedian) < 0.5, JSON.stringify(same))
})

test('measures an octave as twelve semitones for low and high voices', () => {
  for (const pitch of [80, 125, 160]) {
    const found = lastSound(joined(voice(1000, [pitch, pitch], [4000, 4000]), voice(200, [2 * pitch, 2 * pitch], [4000, 4000])))
    assert.ok(found && Math.abs(found.againstMedian - 12) < 1, `${pitch}: ${JSON.stringify(found)}`)
  }
})

test('returns undefined for unvoiced sound', () => {
  assert.equal(lastSound(new Int16Array(8000)), undefined)
  assert.equal(lastSound(voice(30, [180, 180], [4000, 4000])), undefined)
  let seed = 7
  const noise = Int16Array.from({ length: 8000 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return ((seed / 2 ** 31) * 2 - 1) * 4000
  })
  assert.equal(lastSound(noise), undefined)
})

test('analyses only the last 8 seconds', () => {
  const long = joined(voice(20_000, [300, 300], [8000, 8000]), voice(9000, [150, 150], [2000, 2000]))
  const found = lastSound(long)
  assert.ok(found && Math.abs(found.energyDb) < 0.5 && Math.abs(found.againstMedian) < 0.5, JSON.stringify(found))
})
