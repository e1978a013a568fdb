import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { LabSettings } from '@offhook/contract/v2/lab.ts'
import type { LabRun, RecordedSpeech } from '#core/kernel/ports/speech.ts'
import { type HeardAgain, listenAgain, askedOnce } from './listen-again.ts'

const rate = 8
const window = 256

interface Piece {
  fromMs: number
  toMs: number
  text: string
}

/** Recording with these words; changes are reported one window later. */
const learnedOf = (seconds: number, pieces: readonly Piece[]): HeardAgain => ({
  track: new Int16Array(Math.floor((seconds * 8000) / window) * window),
  changes: pieces.flatMap(({ fromMs, toMs }) => [
    { kind: 'started' as const, at: fromMs * rate, told: fromMs * rate + 2 * window },
    { kind: 'stopped' as const, at: toMs * rate, told: toMs * rate + 2 * window },
  ]),
})

const asked: string[] = []

const listen = (
  seconds: number,
  pieces: readonly Piece[],
  settings: LabSettings,
  speeches: readonly RecordedSpeech[] = [],
): Promise<LabRun> => {
  const ask = askedOnce((_options, from, to) => {
    asked.push(`${from}-${to}`)
    const said = pieces.filter((piece) => piece.fromMs * rate < to && piece.toMs * rate > from)
    return Promise.resolve({ text: said.map(({ text }) => text).join(' '), confidence: 0.9 })
  })
  const parts = { heard: learnedOf(seconds, pieces), ask, rest: (): Promise<void> => setImmediate() }
  return listenAgain(parts, { speeches, wishes: [], languages: ['en'], vocabulary: [], recogniserMs: 100 }, settings)
}

const twoParts: Piece[] = [
  { fromMs: 1000, toMs: 2000, text: 'I would like a table' },
  { fromMs: 2700, toMs: 3500, text: 'for four people.' },
]

/** Rounds times to the precision of a window. */
const placeOf = ({ text, startMs, endMs, silenceMs }: LabRun['turns'][number]) => [
  text,
  ...[startMs, endMs].map((ms) => 100 * Math.floor(ms / 100)),
  silenceMs,
]

const silence = (ms: number): LabSettings => ({ turn_taking: 'classic', vad: { end_of_turn_silence_ms: ms } })

test('splits or joins turns at a pause depending on the configured silence', async () => {
  const quick = await listen(6, twoParts, silence(500))
  assert.deepEqual(quick.turns.map(placeOf), [
    ['I would like a table', 1000, 2000, 500],
    ['for four people.', 2700, 3500, 500],
  ])
  const slow = await listen(6, twoParts, silence(1200))
  assert.deepEqual(slow.turns.map(placeOf), [['I would like a table for four people.', 1000, 3500, 1200]])
  const [only] = slow.turns
  assert.ok(only && only.decidedMs >= 4700 && only.decidedMs <= 4760, String(only?.decidedMs))
})

const speech: RecordedSpeech = {
  eventId: 'e',
  startMs: 500,
  fullMs: 6000,
  text: 'The office is open from nine to five on all days but Sunday.',
  protect: false,
  wantsAnswer: false,
}
const over = (text: string): Piece[] => [{ fromMs: 2000, toMs: 2900, text }]
const strategy = (name: 'words' | 'minimum_characters' | 'none' | 'manual'): LabSettings => ({ barge_in: { strategy: name } })

test('interrupts the assistant for words, not for back-channels', async () => {
  const words = await listen(8, over('what about saturday'), strategy('words'), [speech])
  assert.deepEqual(
    words.interruptions.map(({ eventId, reason, false: wrong }) => ({ eventId, reason, wrong })),
    [{ eventId: 'e', reason: 'words', wrong: undefined }],
  )
  assert.deepEqual(
    words.turns.map(({ outcome, overSpeech, cut }) => ({ outcome, overSpeech, cut })),
    [{ outcome: 'told', overSpeech: true, cut: true }],
  )
  const hum = await listen(8, over('mhm'), strategy('words'), [speech])
  assert.deepEqual([hum.interruptions, hum.turns[0]?.outcome], [[], 'backchannel'])
})

test('lets a back-channel interrupt with minimum_characters, and misses turns with manual and none', async () => {
  const counted = await listen(8, over('mhm'), strategy('minimum_characters'), [speech])
  assert.deepEqual(
    counted.interruptions.map((one) => one.false),
    [true],
  )
  for (const name of ['manual', 'none'] as const) {
    const run = await listen(8, over('what about saturday'), strategy(name), [speech])
    assert.deepEqual([run.interruptions.length, run.turns.map(({ missed }) => missed)], [0, [true]], name)
  }
})

test('does not interrupt a speech that began while the turn would still have been open', async () => {
  const early = { ...speech, startMs: 2600 }
  const run = await listen(8, [{ fromMs: 1000, toMs: 2000, text: 'Hello there.' }], silence(1200), [early])
  assert.deepEqual([run.turns.length, run.turns[0]?.outcome, run.interruptions], [1, 'told', []])
})

test('asks the same question once for all variants', async () => {
  const ask = askedOnce((_options, from) => Promise.resolve({ text: `${asked.push(String(from))}` }))
  asked.length = 0
  const options = { languages: ['en'], vocabulary: [] }
  const [first, again] = await Promise.all([ask(options, 0, 800), ask(options, 0, 800)])
  assert.deepEqual([first, asked.length], [again, 1])
})
