import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Line } from '@offhook/contract/assistant/callers-sound.ts'
import { isAudible, LineSound, speechLevel } from './line-sound.ts'

const frameSamples = 320
const tone = (amplitude: number): Int16Array<ArrayBuffer> =>
  Int16Array.from({ length: frameSamples }, (_, at) => amplitude * Math.sin(at / 3))
const silence = new Int16Array(frameSamples)
const speech = Int16Array.from({ length: 50 * frameSamples }, (_, at) => (at < 25 * frameSamples ? 8_000 * Math.sin(at / 3) : 0))

const lineOf = (line: Line, babble?: Int16Array): LineSound => {
  const sound = new LineSound({ frameSamples, speechRms: speechLevel([speech], frameSamples), babble })
  sound.set(line)
  return sound
}
const level = (frames: readonly Int16Array[]): number => {
  const all = frames.flatMap((frame) => [...frame])
  return 20 * Math.log10(Math.sqrt(all.reduce((sum, value) => sum + value ** 2, 0) / all.length))
}
const carried = (line: LineSound, count: number, frame = silence): Int16Array[] => Array.from({ length: count }, () => line.carry(frame))

test('adds noise of each kind at the wanted distance to the voice, not to the pauses', () => {
  const voice = 20 * Math.log10(speechLevel([speech], frameSamples))
  const babble = Int16Array.from({ length: 6 * 16_000 }, (_, at) => 3_000 * Math.sin(at / 7))
  for (const kind of ['white', 'pink', 'brown', 'babble'] as const) {
    const noise = level(carried(lineOf({ noise: { kind, snr_db: 12 } }, babble), 300))
    assert.ok(Math.abs(voice - noise - 12) < 1, `${kind}: ${voice - noise}`)
  }
})

test('returns the assistant after the delay, at the wanted level', () => {
  const line = lineOf({ echo: { level_db: -20, delay_ms: 60 } })
  const heard = Array.from({ length: 10 }, (_, nth) => {
    if (nth === 2 || nth === 3) line.plays(tone(10_000))
    return line.carry(silence)
  })
  assert.deepEqual(heard.map(isAudible), [false, false, false, false, false, true, true, false, false, false])
  assert.ok(Math.abs(level(heard.slice(5, 7)) - level([tone(1_000)])) < 0.2)
})

test('loses so many packets, in bursts of that length', () => {
  for (const burst of [1, 4]) {
    const line = lineOf({ loss_percent: 10, loss_burst: burst })
    const lost = Array.from({ length: 20_000 }, (_, nth) => line.carry(tone(1_000 + (nth % 7)))).map(
      (frame, nth) => level([frame]) < level([tone(990 + (nth % 7))]) - 2,
    )
    const count = lost.filter(Boolean).length
    const bursts = lost.filter((isLost, nth) => isLost && !lost[nth - 1]).length
    assert.ok(Math.abs(count / 20_000 - 0.1) < 0.015, `${count}`)
    assert.ok(Math.abs(count / bursts - burst) < (burst === 1 ? 0.2 : 0.6), `${count / bursts}`)
  }
})

test('carries the voice unchanged without a setting, and the same sound for the same seed', () => {
  assert.deepEqual(lineOf({}).carry(tone(5_000)), tone(5_000))
  const line: Line = { noise: { kind: 'pink', snr_db: 5 }, loss_percent: 20 }
  assert.deepEqual(carried(lineOf(line), 30, tone(3_000)), carried(lineOf(line), 30, tone(3_000)))
})
