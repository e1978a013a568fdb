import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSilent, piecesOf } from './speech-pieces.ts'

const rate = 8_000

/** Loud except for half-second pauses at these seconds. */
const speech = (seconds: number, pauses: readonly number[]): Int16Array =>
  Int16Array.from({ length: seconds * rate }, (_, at) =>
    pauses.some((pause) => at >= pause * rate && at < (pause + 0.5) * rate) ? 3 : 9_000,
  )

test('splits long audio at pauses into contiguous pieces of at most five seconds', () => {
  const sound = speech(12, [3.5, 7])
  const pieces = piecesOf(sound)
  assert.equal(pieces[0]?.from, 0)
  assert.equal(pieces.at(-1)?.to, sound.length)
  for (const [nth, { from, to }] of pieces.entries()) {
    assert.ok(to - from <= 5 * rate)
    if (nth > 0) assert.equal(from, pieces[nth - 1]?.to)
  }
  for (const { to } of pieces.slice(0, 2)) assert.equal(sound[to], 3, 'in a pause')
  assert.deepEqual(piecesOf(speech(3, [])), [{ from: 0, to: 3 * rate }])
  assert.deepEqual(piecesOf(new Int16Array()), [])
})

test('distinguishes a line without a microphone from a whisper', () => {
  assert.equal(isSilent(Int16Array.from({ length: rate }, (_, at) => (at % 2 === 0 ? 8 : -8))), true)
  assert.equal(isSilent(Int16Array.from({ length: rate }, (_, at) => (at === 4_000 ? -200 : 0))), false)
})
