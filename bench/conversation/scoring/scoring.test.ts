import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreInterruptions } from './interruptions.ts'
import { scorePreviews } from './previews.ts'
import { meanSplitRate, splitAtSentences, splitRates, splitsAt, type TurnOutcome } from './turns.ts'
import { scoreUtterances, type UtteranceKind } from './utterances.ts'
import { scoreWords } from './words.ts'

test('counts words over all recordings, and accents only where transcripts have them', () => {
  const score = scoreWords([
    { said: 'Please hold.', heard: 'please, hold', language: 'en' },
    { said: 'One two three four.', heard: 'one two tree', language: 'en' },
    { said: 'Adios amigo', heard: 'adiós amigo', language: 'es' },
    { said: 'Schön', heard: 'Schon', language: 'de' },
    { said: 'Goodbye', heard: ' .', language: 'en' },
  ])
  assert.deepEqual({ ...score, errorRate: Math.round(score.errorRate * 10) }, { recordings: 5, words: 10, errorRate: 4, exact: 2, lost: 1 })
})

const outcome = (kind: TurnOutcome['kind'], silenceMs: number | undefined, turns = 1): TurnOutcome => ({
  kind,
  silenceMs,
  turns,
  delayMs: 0,
})

test('counts a split when the service waits no longer than the pause', () => {
  assert.equal(splitsAt(500, 500), true)
  assert.equal(splitsAt(571, 500), false)
  assert.deepEqual(splitRates([outcome('cut', 500), outcome('open', 1_000), outcome('open', undefined)]), [0, 0.5, 0.5, 1, 1])
})

test('splits four of five pauses with a fixed silence of 500 ms', () => {
  assert.equal(meanSplitRate([outcome('cut', 500)]), 0.8)
  assert.equal(meanSplitRate([outcome('cut', 1_000)]), 0.4)
})

test('counts pauses between sentences separately', () => {
  const outcomes = [outcome('two', 500, 2), outcome('two', 500), outcome('whole', 500, 2)]
  assert.deepEqual(splitAtSentences(outcomes), { split: 1, of: 2 })
})

test('counts a stop without words as false, and as missed only without an endpoint event', () => {
  const base = { duckedAfterMs: undefined, told: false }
  const score = scoreInterruptions([
    { ...base, hasWords: false, stoppedAfterMs: 300 },
    { ...base, hasWords: false, stoppedAfterMs: undefined, duckedAfterMs: 200 },
    { ...base, hasWords: true, stoppedAfterMs: 400, duckedAfterMs: 100, told: true },
    { ...base, hasWords: true, stoppedAfterMs: undefined, told: true },
    { ...base, hasWords: true, stoppedAfterMs: undefined },
  ])
  assert.deepEqual(score, {
    wordless: 2,
    falseStops: 1,
    words: 3,
    stops: 1,
    missed: 1,
    reactionMs: { p50: 400, p95: 400 },
    ducked: { words: 1, wordless: 1 },
    duckedMs: { p50: 100, p95: 100 },
  })
})

test('counts utterances by their kind', () => {
  const one = (kind: UtteranceKind, heard: string[], turnMs: number) => ({
    utterance: { kind, text: 'Hello there.', language: 'en' },
    heard,
    turnMs,
    firstSoundMs: 100,
  })
  const score = scoreUtterances([
    one('whole', ['Hello there.'], 600),
    one('two', ['Hello', 'there.'], 900),
    one('pause', ['Hello', 'there.'], 500),
    one('pause', ['Hello there.'], 700),
    one('pair', ['Hello there.'], 400),
    one('short', [], 300),
  ])
  assert.deepEqual(score.split, { wrong: 1, of: 3 })
  assert.deepEqual(score.splitInPause, { wrong: 1, of: 2 })
  assert.deepEqual(score.merged, { wrong: 1, of: 1 })
  assert.deepEqual(score.unheard, { wrong: 1, of: 6 })
  assert.deepEqual(score.sentenceMs, { p50: 600, p95: 600 })
  assert.equal(score.words.exact, 5)
})

test('counts an answer within 60 ms as immediate, and reports audible answers to pauses', () => {
  const ends = [
    { aheadMs: 400, firstSoundMs: 60 },
    { aheadMs: 200, firstSoundMs: 61 },
    { aheadMs: undefined, firstSoundMs: 400 },
    { aheadMs: undefined, firstSoundMs: undefined },
  ]
  const pauses = [
    { revoked: 1, soundsOfRevoked: 0, split: false },
    { revoked: 0, soundsOfRevoked: 0, split: true },
    { revoked: 2, soundsOfRevoked: 1, split: false },
  ]
  assert.deepEqual(scorePreviews(ends, pauses), {
    ends: 4,
    previewed: 0.5,
    aheadMs: { p50: 400, p95: 400 },
    concurrency: 0.25,
    firstSoundMs: { p50: 61, p95: 400 },
    pauses: 3,
    inVain: 2,
    split: 1,
    soundsOfRevoked: 1,
  })
})
