import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingCodes, type Explanation, type FindingCode } from '@offhook/contract/v2/explanation.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { TimelineEvent } from '../pieces.ts'
import { explainCall } from './explain-call.ts'

type Moment = [at: number, happening: TimelineEvent]

const timeline = (moments: readonly Moment[]): TimelineEntry[] =>
  moments.map(([at, entry], index) => ({ callId: 'c1', sequence: index + 1, at, flowId: 'f1', ...entry }))

const explained = (moments: readonly Moment[], locale: 'de_DE' | 'en_US' = 'en_US'): Explanation =>
  explainCall({ callId: 'c1', entries: timeline(moments), running: false }, locale)

const event = (eventId: string, turn: number): TimelineEvent => ({ kind: 'event', eventId, type: 'user_speak', turn, body: {} })
const heard = (turn: number, text: string): TimelineEvent => ({ kind: 'heard', turn, text, final: true, typed: false })
const ended = (reason: 'caller_hangup' | 'assistant_hangup' | 'failed' = 'caller_hangup'): TimelineEvent => ({
  kind: 'call',
  state: 'ended',
  by: 'caller',
  reason,
})
const spoke = (eventId: string, startedAt: number, more: Partial<Extract<TimelineEvent, { kind: 'spoke' }>> = {}): TimelineEvent => ({
  kind: 'spoke',
  eventId,
  text: 'Good.',
  startedAt,
  playedMs: 1_000,
  completed: true,
  ...more,
})
const times = { vadEndMs: 100, endpointMs: 500, sttFinalMs: 520, decidedMs: 530, sentMs: 540, answeredMs: 700, firstSoundMs: 800 }
const turn = (changed: Partial<typeof times> = {}): TimelineEvent => ({ kind: 'turn', turn: 1, ...times, ...changed })
const note = (name: string, data: object): TimelineEvent => ({ kind: 'note', eventId: 'e1', turn: 1, name, data })
const quality = (changed: Partial<Extract<TimelineEvent, { kind: 'quality' }>>): TimelineEvent => {
  const { packetsLost = 0 } = changed
  return { kind: 'quality', of: 'caller', packetsReceived: 1_000 - packetsLost, packetsLost, jitterMs: 2, ...changed }
}
const closed: TimelineEvent = {
  kind: 'routing',
  target: 'Sales',
  because: 'CLOSED',
  schedule: 'Office',
  since: '17:00',
  action: 'FLOW',
  to: 'Reception',
}
const model = { version: 1, model: 'm', attempt: 1, promptTokens: 1, completionTokens: 1, request: '', response: '' }
const asked: Moment[] = [
  [0, { kind: 'call', state: 'started' }],
  [1_000, heard(1, 'Hello?')],
  [1_000, event('e1', 1)],
]

/** Minimal timeline per finding code, with severity, text and evidence. */
const cases: Record<FindingCode, { moments: Moment[]; severity: string; text: RegExp; evidence: number[] }[]> = {
  slow_turn_end: [
    { moments: [...asked, [1_900, turn({ endpointMs: 1_400, sttFinalMs: 1_410 })]], severity: 'info', text: /1400 ms/, evidence: [4] },
  ],
  slow_recognition: [{ moments: [...asked, [1_900, turn({ sttFinalMs: 1_600 })]], severity: 'warning', text: /1100 ms/, evidence: [4] }],
  slow_endpoint: [{ moments: [...asked, [1_900, turn({ answeredMs: 1_940 })]], severity: 'info', text: /1400 ms/, evidence: [4] }],
  slow_model: [
    {
      moments: [
        ...asked,
        [1_800, note('model', { ...model, firstTokenMs: 1_200, firstClauseMs: 1_300 })],
        [1_900, turn({ answeredMs: 1_900 })],
      ],
      severity: 'info',
      text: /1200 ms until its first token/,
      evidence: [4, 5],
    },
  ],
  slow_clause: [
    {
      moments: [...asked, [1_800, note('model', { ...model, firstTokenMs: 100, firstClauseMs: 1_300 })]],
      severity: 'warning',
      text: /1200 ms/,
      evidence: [4],
    },
  ],
  slow_tool: [
    {
      moments: [...asked, [4_000, note('tool', { name: 'book', arguments: '{}', status: 'ok', ms: 2_500 })]],
      severity: 'warning',
      text: /book took 2500 ms/,
      evidence: [4],
    },
  ],
  slow_voice: [{ moments: [...asked, [1_900, turn({ firstSoundMs: 1_300 })]], severity: 'info', text: /600 ms/, evidence: [4] }],
  dead_air: [
    {
      moments: [...asked, [4_870, { kind: 'speaks', eventId: 'e1' }], [4_870, turn({ answeredMs: 600 })]],
      severity: 'warning',
      text: /For 4\.4 s/,
      evidence: [2, 4],
    },
    { moments: [...asked, [8_000, ended()]], severity: 'error', text: /For 7\.0 s/, evidence: [2, 4] },
  ],
  cut_goodbye: [
    {
      moments: [...asked, [2_500, spoke('e1', 1_500, { completed: false })], [2_501, ended('assistant_hangup')]],
      severity: 'warning',
      text: /after 1\.0 s/,
      evidence: [4, 5],
    },
  ],
  split_turn: [
    {
      moments: [...asked, [1_700, { kind: 'voice', speaking: true }], [2_600, heard(2, 'I want a table.')]],
      severity: 'warning',
      text: /paused for 700 ms/,
      evidence: [2, 4, 5],
    },
  ],
  interrupted: [
    {
      moments: [...asked, [2_500, spoke('e1', 1_500, { completed: false, cutBy: { reason: 'stop_word', text: 'Stop' } })]],
      severity: 'info',
      text: /after 1\.0 s with “Stop”/,
      evidence: [4],
    },
  ],
  unheard_words: [
    {
      moments: [...asked, [3_000, { kind: 'unclear', durationMs: 800 }]],
      severity: 'warning',
      text: /for 0\.8 s and was not/,
      evidence: [4],
    },
    { moments: [...asked, [3_000, { kind: 'unclear', durationMs: 800, text: 'Tee' }]], severity: 'warning', text: /“Tee”/, evidence: [4] },
  ],
  voice_replaced: [
    {
      moments: [...asked, [1_100, { kind: 'problem', eventId: 'e1', message: 'tts: "openai" failed (401)' }]],
      severity: 'warning',
      text: /"openai" failed/,
      evidence: [4],
    },
  ],
  recogniser_replaced: [
    {
      moments: [...asked, [1_100, { kind: 'problem', message: 'stt: "azure" failed (401)' }]],
      severity: 'warning',
      text: /"azure" failed/,
      evidence: [4],
    },
  ],
  action_discarded: [
    {
      moments: [
        ...asked,
        [3_000, { kind: 'discarded', eventId: 'e1', turn: 1, action: 'speak', reason: 'superseded' }],
        [3_001, { kind: 'discarded', eventId: 'e1', turn: 1, action: 'speak', reason: 'superseded' }],
      ],
      severity: 'info',
      text: /speak came too late: the caller had spoken/,
      evidence: [4, 5],
    },
    {
      moments: [...asked, [3_000, { kind: 'discarded', eventId: 'e1', turn: 1, action: 'transfer', reason: 'ended' }]],
      severity: 'warning',
      text: /the call was over/,
      evidence: [4],
    },
  ],
  action_refused: [
    {
      moments: [...asked, [1_100, { kind: 'problem', eventId: 'e1', message: 'transfer 0: target: is missing' }]],
      severity: 'warning',
      text: /target: is missing/,
      evidence: [4],
    },
  ],
  endpoint_error: [
    {
      moments: [
        ...asked,
        [1_100, { kind: 'attempt', eventId: 'e1', attempt: 1, channel: 'webhook', durationMs: 5, state: 'failed', error: 'refused' }],
      ],
      severity: 'error',
      text: /\(1 tries\): refused/,
      evidence: [4],
    },
    {
      moments: [
        ...asked,
        [1_100, { kind: 'attempt', eventId: 'e1', attempt: 1, channel: 'webhook', durationMs: 5, state: 'failed', error: 'refused' }],
        [1_200, { kind: 'attempt', eventId: 'e1', attempt: 2, channel: 'webhook', durationMs: 5, state: 'delivered' }],
      ],
      severity: 'warning',
      text: /only after 1 failed/,
      evidence: [4],
    },
  ],
  model_error: [
    {
      moments: [...asked, [1_100, note('model', { ...model, error: 'HTTP 500' })]],
      severity: 'error',
      text: /m failed: HTTP 500/,
      evidence: [4],
    },
    {
      moments: [...asked, [1_100, note('model', { ...model, error: 'HTTP 500' })], [1_200, note('model', model)]],
      severity: 'warning',
      text: /HTTP 500/,
      evidence: [4],
    },
  ],
  claim_stopped: [
    {
      moments: [...asked, [1_100, note('claim', { sentence: 'I have booked it.', verdict: 'stopped' })]],
      severity: 'warning',
      text: /I have booked it/,
      evidence: [4],
    },
  ],
  tool_error: [
    {
      moments: [...asked, [1_100, note('tool', { name: 'book', arguments: '{}', status: 'failed', ms: 3 })]],
      severity: 'error',
      text: /book failed/,
      evidence: [4],
    },
    {
      moments: [...asked, [1_100, note('tool', { name: 'book', arguments: '{}', status: 'refused', ms: 3 })]],
      severity: 'warning',
      text: /book was refused/,
      evidence: [4],
    },
  ],
  event_not_subscribed: [{ moments: [...asked, [1_100, { kind: 'key', digit: '1' }]], severity: 'warning', text: /\(1\)/, evidence: [4] }],
  no_sound_from_phone: [
    { moments: [[0, { kind: 'sound', state: 'nothing', of: 'caller' }]], severity: 'error', text: /caller.*no packet came/, evidence: [1] },
    {
      moments: [
        [0, { kind: 'sound', state: 'unknown_source', of: 'caller' }],
        [1_500, { kind: 'sound', state: 'heard', of: 'caller' }],
      ],
      severity: 'warning',
      text: /for 1\.5 s/,
      evidence: [1, 2],
    },
  ],
  packet_loss: [
    { moments: [[0, quality({ packetsLost: 20 })]], severity: 'info', text: /caller, 2 % got lost\.$/, evidence: [1] },
    {
      moments: [[9_000, quality({ packetsLost: 20, worst: { at: 5_000, durationMs: 3_000, lossPercent: 13.3 } })]],
      severity: 'warning',
      text: /2 % got lost; in the worst 3 s, 13\.3 %\.$/,
      evidence: [1],
    },
    {
      moments: [
        [200, { kind: 'voice', speaking: true }],
        ...asked,
        [9_000, quality({ packetsLost: 60, worst: { at: 100, durationMs: 3_000, lossPercent: 40 } })],
      ],
      severity: 'error',
      text: /40 %, and what was said in turn 1/,
      evidence: [5, 3],
    },
    { moments: [[0, quality({ reported: { lossPercent: 4 } })]], severity: 'warning', text: /4 % of our packets/, evidence: [1] },
  ],
  call_failed: [
    {
      moments: [
        [0, { kind: 'call', state: 'started' }],
        [9, ended('failed')],
      ],
      severity: 'error',
      text: /network/,
      evidence: [2],
    },
  ],
  routed: [
    {
      moments: [[0, closed]],
      severity: 'info',
      text: /^A rule of Sales led the call\. Closed since 17:00 \(Office\): assistant Reception\.$/,
      evidence: [1],
    },
    {
      moments: [[0, { kind: 'routing', target: 'Sales', because: 'NO_ANSWER', action: 'VOICEMAIL' }]],
      severity: 'info',
      text: /Nobody answered: voicemail\.$/,
      evidence: [1],
    },
  ],
}

for (const code of findingCodes)
  test(`finds ${code} with evidence and advice in both languages`, () => {
    for (const { moments, severity, text, evidence } of cases[code]) {
      const found = explained(moments).findings.filter((finding) => finding.code === code)
      assert.deepEqual(
        found.map((one) => [one.severity, one.evidence]),
        [[severity, evidence]],
      )
      assert.match(found[0]?.text ?? '', text)
      const german = explained(moments, 'de_DE').findings.find((finding) => finding.code === code)
      assert.ok(german?.advice && german.text !== found[0]?.text && german.advice !== found[0]?.advice)
      assert.doesNotMatch(`${german.text}${german.advice}${found[0]?.text}`, /[{}]/)
    }
  })

test('reports no findings for a good call, and the times of each turn', () => {
  const good = explained([
    ...asked,
    [1_270, { kind: 'speaks', eventId: 'e1' }],
    [1_270, turn()],
    [2_270, spoke('e1', 1_270)],
    [63_000, ended()],
  ])
  assert.deepEqual(good.findings, [])
  assert.equal(good.outcome, 'The caller hung up. It lasted 1 min 3 s. The caller spoke once.')
  assert.deepEqual(good.turns, [
    {
      turn: 1,
      caller: 'Hello?',
      assistant: 'Good.',
      ms: { silence: 500, recognition: 20, endpoint: 160, voice: 100, total: 800 },
      slowest: 'silence',
    },
  ])
  assert.deepEqual([good.flowId, good.durationMs, good.reason, good.endedBy], ['f1', 63_000, 'caller_hangup', 'caller'])
})

test('ignores loss that concealment hides and streams too short to judge', () => {
  const { findings } = explained([
    [0, quality({ packetsLost: 5, worst: { at: 0, durationMs: 3_000, lossPercent: 3 }, reported: { lossPercent: 0.5 } })],
    [0, quality({ packetsReceived: 10, packetsLost: 10 })],
  ])
  assert.deepEqual(findings, [])
})

test('sorts findings by severity, then by time', () => {
  const { findings } = explained([
    ...asked,
    [1_100, { kind: 'problem', eventId: 'e1', message: 'speak 0: text: is missing' }],
    [1_200, { kind: 'sound', state: 'stopped', of: 'caller' }],
    [1_300, turn({ endpointMs: 1_400 })],
    [1_400, { kind: 'problem', eventId: 'e1', message: 'tts: "x" failed (no)' }],
    [1_500, ended('failed')],
  ])
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['no_sound_from_phone', 'call_failed', 'action_refused', 'voice_replaced', 'slow_turn_end'],
  )
})

test('explains a running call, one without an assistant and one with few entries', () => {
  const running = explainCall({ callId: 'c1', entries: timeline(asked), running: true }, 'de_DE')
  assert.equal(running.outcome, 'Das Gespräch läuft noch. Der Anrufer sprach einmal.')
  assert.equal(running.durationMs, undefined)
  const bare = explainCall({ callId: 'c1', entries: [], running: false }, 'en_US')
  assert.deepEqual([bare.turns, bare.findings], [[], []])
})
