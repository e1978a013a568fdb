import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { unspokenPart, type Utterance } from './conversation.ts'
import { TimelineBook } from './timeline-book.ts'

type Bare<E> = E extends unknown ? Omit<E, 'callId' | 'sequence' | 'at'> : never

const entriesOf = (...events: Bare<TimelineEntry>[]): TimelineEntry[] =>
  events.map((event, index) => ({ callId: 'c', sequence: index + 1, at: 1_000 + index * 10, ...event }))

const pictureOf = (...events: Bare<TimelineEntry>[]) => {
  const book = new TimelineBook()
  book.add(entriesOf(...events))
  return book.picture()
}

const speak = (eventId: string, text: string, stream_id?: string): Bare<TimelineEntry> => ({
  kind: 'action',
  eventId,
  turn: 0,
  action: { type: 'speak', text, stream_id },
})

const spoke = (eventId: string, text: string, completed: boolean): Bare<TimelineEntry> => ({
  kind: 'spoke',
  eventId,
  text,
  startedAt: 500,
  playedMs: 100,
  completed,
})

const heard = (turn: number, text: string, final: boolean): Bare<TimelineEntry> => ({ kind: 'heard', turn, text, final, typed: false })

const notifications = (utterance: Utterance): string =>
  utterance.who === 'assistant'
    ? `assistant ${utterance.state}: ${utterance.spoken}|${unspokenPart(utterance)}`
    : utterance.who === 'caller'
      ? `caller${utterance.final ? '' : ' …'}: ${utterance.text}`
      : utterance.who === 'keys'
        ? `keys: ${utterance.digits}`
        : utterance.who

test('replaces partial words by the final ones', () => {
  const { utterances } = pictureOf(heard(1, 'I', false), heard(1, 'I want', false), heard(1, 'I want tea', true), heard(2, 'And', false))
  assert.deepEqual(utterances.map(notifications), ['caller: I want tea', 'caller …: And'])
})

test('replaces partial words by a back-channel', () => {
  const { utterances } = pictureOf(heard(1, 'M', false), { kind: 'backchannel', text: 'Mhm.' }, heard(1, 'Stop', true))
  assert.deepEqual(
    utterances.map((one) => (one.who === 'caller' ? [one.text, one.final, one.listens === true] : one.who)),
    [
      ['Mhm.', true, true],
      ['Stop', true, false],
    ],
  )
})

test('replaces requested words by the spoken ones and marks the rest', () => {
  const { utterances } = pictureOf(
    speak('a', 'Good morning'),
    spoke('a', 'Good morning', true),
    speak('b', 'This is a long story'),
    { kind: 'speaks', eventId: 'b', text: 'This is a long story' },
    spoke('b', 'This is', false),
    heard(1, 'Stop', true),
    speak('c', 'Never heard'),
    { kind: 'discarded', eventId: 'c', turn: 0, action: 'speak', reason: 'superseded' },
  )
  assert.deepEqual(utterances.map(notifications), [
    'assistant spoken: Good morning|',
    'assistant interrupted: This is| a long story',
    'caller: Stop',
    'assistant discarded: |Never heard',
  ])
})

test('shows a speech as requested while it plays, also without an action', () => {
  const { utterances } = pictureOf(
    speak('a', 'First'),
    { kind: 'speaks', eventId: 'a', text: 'First' },
    { kind: 'speaks', eventId: 'b', text: 'Sorry' },
  )
  assert.deepEqual(
    utterances.map((one) => (one.who === 'assistant' ? [one.state, one.wanted] : [])),
    [
      ['speaking', 'First'],
      ['speaking', 'Sorry'],
    ],
  )
})

test('joins pieces of one stream into a speech, and consecutive keys into one entry', () => {
  const { utterances } = pictureOf(
    speak('a', 'One, ', 's'),
    speak('a', 'two', 's'),
    spoke('a', 'One, two', true),
    { kind: 'key', digit: '4' },
    { kind: 'key', digit: '2' },
  )
  assert.deepEqual(utterances.map(notifications), ['assistant spoken: One, two|', 'keys: 42'])
})

test('counts repeated entries once', () => {
  const book = new TimelineBook()
  const entries = entriesOf({ kind: 'problem', message: 'x' }, { kind: 'key', digit: '1' })
  book.add(entries)
  book.add(entries)
  assert.equal(book.picture().entries.length, 2)
  assert.equal(book.picture().problems, 1)
})

test('attaches the answered words to turns; reports failed attempts as problems', () => {
  const attempt = { kind: 'attempt', eventId: 'a', attempt: 1, channel: 'webhook', durationMs: 5, turn: 1 } as const
  const { turns, problems } = pictureOf(
    heard(1, 'Hello', true),
    { kind: 'turn', turn: 1, firstSoundMs: 900 },
    { ...attempt, state: 'failed' },
    { ...attempt, state: 'superseded' },
    { ...attempt, state: 'delivered' },
  )
  assert.deepEqual(
    turns.map(({ turn, text, times }) => [turn, text, times.firstSoundMs]),
    [[1, 'Hello', 900]],
  )
  assert.equal(problems, 1)
})

test('keeps the newest entries of a very long call', () => {
  const book = new TimelineBook()
  for (let sequence = 1; sequence <= 12_000; sequence++)
    book.add([{ callId: 'c', sequence, at: sequence, kind: 'voice', speaking: sequence % 2 === 0 }])
  const { entries, forgotten } = book.picture()
  assert.ok(entries.length <= 5_500)
  assert.equal(entries.length + forgotten, 12_000)
  assert.equal(entries.at(-1)?.sequence, 12_000)
})

test('limits the size of kept requests to what a browser can hold', () => {
  const book = new TimelineBook()
  const body = 'x'.repeat(60_000)
  const bytes = { headers: {}, body, bodyBytes: body.length }
  const attempt = { kind: 'attempt', eventId: 'a', attempt: 1, channel: 'webhook', durationMs: 5, turn: 1, state: 'delivered' } as const
  for (let sequence = 1; sequence <= 1_000; sequence++) book.add([{ callId: 'c', sequence, at: sequence, ...attempt, request: bytes }])
  const { entries, forgotten } = book.picture()
  assert.ok(entries.length * body.length <= 22_000_000, `${entries.length} entries`)
  assert.equal(entries.length + forgotten, 1_000)
  assert.equal(entries.at(-1)?.sequence, 1_000)
})

test('keeps the same array until an utterance is added', () => {
  const book = new TimelineBook()
  book.add([{ callId: 'c', sequence: 1, at: 1, ...heard(1, 'I', false) }])
  const before = book.picture().utterances
  book.add([{ callId: 'c', sequence: 2, at: 2, kind: 'voice', speaking: false }])
  assert.equal(book.picture().utterances, before)
  book.add([{ callId: 'c', sequence: 3, at: 3, ...heard(1, 'I want tea', true) }])
  assert.deepEqual([before.map(notifications), book.picture().utterances.map(notifications)], [['caller …: I'], ['caller: I want tea']])
})

test('joins call events without speech in between', () => {
  const { utterances } = pictureOf({ kind: 'call', state: 'started' }, { kind: 'call', state: 'answered' }, heard(1, 'Hello', true), {
    kind: 'call',
    state: 'ended',
  })
  const states = utterances.map((one) => (one.who === 'call' ? one.moments.map(({ state }) => state) : one.who))
  assert.deepEqual(states, [['started', 'answered'], 'caller', ['ended']])
})

test('reports a failed attempt with its event, not a superseded one', () => {
  const attempt = { kind: 'attempt', eventId: 'e', attempt: 1, channel: 'webhook', durationMs: 5 } as const
  const { utterances, eventTypes } = pictureOf(
    { kind: 'event', eventId: 'e', type: 'user_speak', turn: 1, body: {} },
    { ...attempt, state: 'failed', error: 'the endpoint answered 503' },
    { ...attempt, state: 'superseded' },
    { ...attempt, state: 'delivered' },
  )
  assert.deepEqual(
    utterances.map((one) => (one.who === 'problem' ? [one.message, one.eventId] : one.who)),
    [['the endpoint answered 503', 'e']],
  )
  assert.equal(eventTypes.get('e'), 'user_speak')
})
