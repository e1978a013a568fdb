import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import type { TimelineEntry } from '../v2/timeline.ts'
import { Scenario, type ScenarioReport } from '../assistant/scenario.ts'
import { firstDifference } from './call-difference.ts'
import { scenarioOfCall } from './call-scenario.ts'
import { recordedCall } from './recorded-call.ts'

type Happening = { kind: TimelineEntry['kind'] } & Record<string, unknown>
type Moment = [at: number, happening: Happening]

const timeline = (moments: readonly Moment[]): TimelineEntry[] =>
  moments.map(([at, happening], index) => ({ callId: 'c1', sequence: index + 1, at, flowId: 'f1', ...happening })) as TimelineEntry[]

const session = { id: 'c1', account_id: '1', phone_number: '4930', from_phone_number: '49157', to_phone_number: '4930' }
const event = (eventId: string, turn: number, type: string, body: object = {}): Happening => ({
  kind: 'event',
  eventId,
  turn,
  type,
  body: { type, session, ...body },
})
const withSession = (happening: Happening, other: object): Happening => ({
  ...happening,
  body: { ...Object(happening.body), session: other },
})
const speak = (eventId: string, turn: number, text: string, more: object = {}): Happening =>
  action(eventId, turn, { type: 'speak', text, ...more })
const action = (eventId: string, turn: number, one: object): Happening => ({ kind: 'action', eventId, turn, action: one })
const spoke = (eventId: string, startedAt: number, text: string, completed = true): Happening => ({
  kind: 'spoke',
  eventId,
  text,
  startedAt,
  playedMs: 1_000,
  completed,
})

/** A greeting, an interrupted answer, keys, a timeout, a tool, a transfer. */
const moments: Moment[] = [
  [0, { kind: 'call', state: 'started' }],
  [10, event('e0', 0, 'session_start')],
  [20, speak('e0', 0, 'Hello there.')],
  [30, { kind: 'speaks', eventId: 'e0', text: 'Hello there.' }],
  [1_030, spoke('e0', 30, 'Hello there.')],
  [3_000, { kind: 'heard', turn: 1, text: 'The menu', final: true, typed: false }],
  [3_000, event('e1', 1, 'user_speak', { text: 'The menu', barged_in: false, language: 'en' })],
  [3_010, { kind: 'filler', turn: 1, text: 'One moment.' }],
  [3_020, { kind: 'spoke', eventId: 'e1', text: 'One moment.', startedAt: 3_010, playedMs: 10, completed: true }],
  [3_100, speak('e1', 1, 'Tonight we have a soup of roasted carrots.', { stream_id: 's' })],
  [3_100, speak('e1', 1, ' And cake.', { stream_id: 's' })],
  [3_200, { kind: 'speaks', eventId: 'e1' }],
  [5_000, spoke('e1', 3_200, 'Tonight we have a', false)],
  [6_000, event('e2', 2, 'user_speak', { text: 'Stop', barged_in: true, heard_ms: 1_800 })],
  [6_010, action('e1', 1, { type: 'hangup', turn: 1 })],
  [6_010, { kind: 'discarded', eventId: 'e1', turn: 1, action: 'hangup', reason: 'superseded' }],
  [6_100, speak('e2', 2, 'Your number?')],
  [7_100, spoke('e2', 6_100, 'Your number?')],
  [8_000, event('e3', 2, 'dtmf_received', { digit: '1' })],
  [8_200, event('e4', 2, 'dtmf_received', { digit: '•' })],
  [16_200, event('e5', 2, 'user_input_timeout')],
  [
    16_250,
    {
      kind: 'note',
      eventId: 'e5',
      turn: 2,
      name: 'tool',
      data: { name: 'book', arguments: '{"at":1}', status: 'ok', ms: 3, response: '200\n{"ok":true}' },
    },
  ],
  [16_300, action('e5', 2, { type: 'transfer', target: 'p0' })],
  [17_000, event('e6', 2, 'session_end', { reason: 'transferred' })],
  [17_000, { kind: 'call', state: 'ended', by: 'assistant', reason: 'transferred' }],
]

test('turns a call into a scenario: steps of the caller and their results', () => {
  const scenario = scenarioOfCall(timeline(moments), { callId: 'c1' })
  assert.deepEqual(scenario, {
    name: 'call c1',
    from: '49157',
    to: '4930',
    language: 'en',
    call: 'c1',
    tools: [{ name: 'book', arguments: { at: 1 }, result: { ok: true }, status: 200 }],
    steps: [
      { say: 'The menu' },
      { say: 'Stop', into_ms: 1_134 },
      { press: '10' },
      { wait_seconds: 8 },
      { expect: { tool: 'book' } },
      { expect: { action: 'transfer', target: 'p0', ended: 'transferred' } },
    ],
  })
  assert.ok(Compile(Scenario).Check(scenario))
})

test('omits a withheld or missing number, which could not place a call', () => {
  const hidden = { ...session, from_phone_number: 'anonymous', to_phone_number: 'e0' }
  const entries = timeline(moments.map(([at, happening]) => [at, happening.kind === 'event' ? withSession(happening, hidden) : happening]))
  const scenario = scenarioOfCall(entries, { callId: 'c1' }) ?? assert.fail()
  assert.deepEqual([scenario.from, scenario.to], [undefined, undefined])
})

test('expects the heard words with the option, without phrases of the service', () => {
  const { steps } = scenarioOfCall(timeline(moments), { callId: 'c1', words: true }) ?? assert.fail()
  assert.deepEqual(steps.slice(0, 6), [
    { expect: { said: 'Hello there.' } },
    { say: 'The menu' },
    { expect: { said: 'Tonight we have a' } },
    { say: 'Stop', into_ms: 1_134 },
    { expect: { said: 'Your number?' } },
    { press: '10' },
  ])
})

test('makes a hang-up of the caller a step; omits other ends and everything after a failed transfer', () => {
  const ends = (reason: string) => [...moments.slice(0, 7), [9_000, event('e2', 1, 'session_end', { reason })] satisfies Moment]
  const stepsOf = (list: readonly Moment[]) => scenarioOfCall(timeline(list), { callId: 'c1' })?.steps
  assert.deepEqual(stepsOf(ends('caller_hangup')), [{ say: 'The menu' }, { hang_up: true }])
  assert.deepEqual(stepsOf(ends('media_timeout')), [{ say: 'The menu' }])
  assert.deepEqual(
    stepsOf([
      ...moments.slice(0, 7),
      [3_100, action('e1', 1, { type: 'transfer', target: 'p0' })],
      [3_200, event('e2', 1, 'transfer_failed', { target: 'p0', cause: 'busy' })],
      [9_000, event('e3', 2, 'user_speak', { text: 'Hello?' })],
    ]),
    [{ say: 'The menu' }, { expect: { action: 'transfer', target: 'p0' } }],
  )
  assert.equal(stepsOf(moments.slice(0, 5)), undefined, 'the caller did nothing')
  assert.equal(stepsOf([[0, { kind: 'call', state: 'started' }]]), undefined, 'no assistant had it')
})

const report = (changes: Partial<ScenarioReport> = {}): ScenarioReport => ({
  name: '',
  state: 'passed',
  failures: [],
  conversationMs: 1,
  tookMs: 1,
  ended: 'transferred',
  transcript: [
    { atMs: 0, turn: 0, by: 'assistant', text: 'hello there' },
    { atMs: 0, turn: 1, by: 'caller', text: 'The menu' },
    { atMs: 0, turn: 1, by: 'assistant', text: 'Tonight, we have a soup', cut: true },
    { atMs: 0, turn: 2, by: 'caller', text: 'Stop' },
    { atMs: 0, turn: 2, by: 'assistant', text: 'Your number?' },
    { atMs: 0, turn: 2, by: 'caller', action: 'press (10)' },
    { atMs: 0, turn: 2, by: 'caller', action: 'wait (8 s)' },
    { atMs: 0, turn: 2, by: 'service', action: 'user_input_timeout' },
    { atMs: 0, turn: 2, by: 'assistant', action: 'tool (book)' },
    { atMs: 0, turn: 2, by: 'assistant', action: 'transfer (p0)' },
  ],
  ...changes,
})

test('reports the first difference of a replayed call, or none', () => {
  const recorded = recordedCall(timeline(moments)) ?? assert.fail()
  const differs = (changes: Partial<ScenarioReport>) => firstDifference(recorded, report(changes))
  const { transcript } = report()
  const withLine = (index: number, line: Partial<ScenarioReport['transcript'][number]>) =>
    transcript.map((moment, place) => (place === index ? { ...moment, ...line } : moment))
  assert.equal(differs({}), undefined)
  assert.deepEqual(differs({ transcript: withLine(0, { text: 'Good morning.' }) }), {
    step: 0,
    turn: 0,
    message: 'said “Hello there.”, now “Good morning.”',
  })
  assert.deepEqual(differs({ transcript: withLine(2, { text: 'Today we have a soup', cut: true }) })?.turn, 1)
  assert.deepEqual(differs({ transcript: withLine(9, { action: 'transfer (p1)' }) }), {
    step: 4,
    turn: 2,
    message: 'did tool (book), transfer (p0), now tool (book), transfer (p1)',
  })
  assert.deepEqual(differs({ transcript: transcript.slice(0, 9) })?.message, 'did tool (book), transfer (p0), now tool (book)')
  assert.deepEqual(differs({ ended: 'assistant_hangup' })?.message, 'it ended with transferred, now assistant_hangup')
})
