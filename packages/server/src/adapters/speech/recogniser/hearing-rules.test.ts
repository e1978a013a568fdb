import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hearingFor, whisperCode } from './engine-choice.ts'
import { repeatedAtEnd, withoutRepetition } from './greedy.ts'
import { soundPieces } from './sound-pieces.ts'
import { endsQuietly, spokenPart } from './spoken-part.ts'

const tone = (ms: number, strength = 8_000): Int16Array => Int16Array.from({ length: ms * 8 }, (_, i) => strength * Math.sin(i / 2))
const concat = (...parts: Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]))

test('chooses Moonshine for English alone, otherwise Whisper', () => {
  assert.deepEqual(hearingFor(['en-US']), { family: 'moonshine', codes: ['en'] })
  assert.deepEqual(hearingFor(['de-AT']), { family: 'whisper', codes: ['de'] })
  assert.deepEqual(hearingFor(['en-US', 'en-GB']), { family: 'moonshine', codes: ['en'] })
  assert.deepEqual(hearingFor(['en', 'de', 'tlh']), { family: 'whisper', codes: ['en', 'de'] })
  assert.deepEqual(hearingFor([]), { family: 'whisper', codes: [] })
  assert.deepEqual(hearingFor(['tlh']), { family: 'whisper', codes: [] })
  assert.equal(whisperCode('tlh'), undefined)
  assert.equal(whisperCode('nb-NO'), 'no')
  assert.equal(whisperCode('zh_Hant'), 'zh')
})

test('detects repetition loops, but allows repeated numbers and single words', () => {
  const letters = (): boolean => false
  assert.equal(repeatedAtEnd([9, 1, 2, 3, 4, 1, 2, 3, 4], letters), 4)
  assert.equal(repeatedAtEnd([1, 2, 3, 4, 1, 2, 3], letters), 0)
  assert.equal(
    repeatedAtEnd([1, 2, 3, 4, 1, 2, 3, 4], () => true),
    0,
  )
  const one = (word: number): boolean => word === 1
  assert.equal(repeatedAtEnd([9, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6], one), 6)
  assert.equal(repeatedAtEnd([9, 1, 2, 3, 4, 1, 2, 3, 4], one), 0)
  assert.equal(repeatedAtEnd([5, 5, 5, 5, 5, 5], letters), 0)
  assert.equal(repeatedAtEnd([7, ...Array<number>(9).fill(5)], letters), 8)
})

test('removes the second copy of a repeated sentence', () => {
  assert.equal(withoutRepetition('Please enter the number. please enter the number'), 'Please enter the number.')
  assert.equal(withoutRepetition('Oh. Where are you now? Where are you now? Where are you now'), 'Oh. Where are you now?')
  assert.equal(withoutRepetition('No, no, no, no.'), 'No, no, no, no.')
  assert.equal(withoutRepetition('0 8 0 0 0 8 0 0'), '0 8 0 0 0 8 0 0')
  assert.equal(withoutRepetition('Press 1 to call it. Press 1 to call it. press 1 to call it'), 'Press 1 to call it.')
  assert.equal(withoutRepetition('Room 12 at 5, room 12 at 5'), 'Room 12 at 5, room 12 at 5')
})

test('trims silence around speech, with a margin', () => {
  const { sound, loudMs } = spokenPart(concat(new Int16Array(8_000), tone(300), new Int16Array(8_000)))
  assert.equal(loudMs, 300)
  assert.equal(sound.length / 8, 300 + 2 * 120)
  assert.deepEqual(spokenPart(tone(500, 10)), { sound: new Int16Array(0), loudMs: 0, rangeDb: 0 })
  assert.deepEqual(spokenPart(new Int16Array(0)), { sound: new Int16Array(0), loudMs: 0, rangeDb: 0 })
})

test('measures the noise of a line relative to the voice', () => {
  const after = (strength: number): number => spokenPart(concat(tone(300, strength), tone(600), tone(300, strength))).rangeDb
  assert.equal(Math.round(after(80)), 40)
  assert.ok(after(0) > 60)
  assert.ok(after(800) < 20)
})

test('detects a pause at the end, also on a noisy line', () => {
  assert.equal(endsQuietly(concat(tone(300), new Int16Array(1_600))), true)
  assert.equal(endsQuietly(concat(tone(300), tone(200, 300))), true)
  assert.equal(endsQuietly(concat(tone(300), tone(200, 4_000))), false)
})

test('cuts long speech at quiet positions', () => {
  const rate = 100
  const sound = new Float32Array(60 * rate).fill(0.5)
  sound.fill(0, 20 * rate, 20.5 * rate)
  const pieces = soundPieces(sound, rate)
  assert.equal(
    pieces.reduce((sum, { length }) => sum + length, 0),
    sound.length,
  )
  assert.ok(pieces.every(({ length }) => length <= 25 * rate))
  const [first] = pieces
  assert.ok(first && first.length >= 20 * rate && first.length <= 20.5 * rate)
  assert.deepEqual(soundPieces(sound.subarray(0, 10), rate), [sound.subarray(0, 10)])
})
