import { Type, type Static } from 'typebox'
import { Scenario } from '../assistant/scenario.ts'
import { sessionEndReasons } from '../assistant/session.ts'
import { operation } from '../operation.ts'
import { Input, OneOf, Output } from '../values.ts'
import { readingHistory } from './history.ts'
import { callEnders, turnEndRules } from './timeline.ts'

/** Finding codes of a call. Closed within a release: programs may depend on them. */
export const findingCodes = [
  'slow_turn_end',
  'slow_recognition',
  'slow_endpoint',
  'slow_model',
  'slow_clause',
  'slow_tool',
  'slow_voice',
  'dead_air',
  'cut_goodbye',
  'split_turn',
  'interrupted',
  'unheard_words',
  'voice_replaced',
  'recogniser_replaced',
  'action_discarded',
  'action_refused',
  'endpoint_error',
  'model_error',
  'tool_error',
  'claim_stopped',
  'event_not_subscribed',
  'no_sound_from_phone',
  'packet_loss',
  'call_failed',
  'routed',
] as const
export type FindingCode = (typeof findingCodes)[number]

const ms = (description: string) => Type.Optional(Type.Integer({ description }))

const ExplainedTurn = Output({
  turn: Type.Integer(),
  caller: Type.Optional(Type.String({ description: 'What the caller said' })),
  assistant: Type.Optional(Type.String({ description: 'What was heard of the answer' })),
  cut: Type.Optional(Type.Literal(true, { description: 'The answer was cut off' })),
  rule: Type.Optional(OneOf(turnEndRules, { description: 'What ended the caller’s turn' })),
  ms: Output({
    silence: ms('The silence that ended the turn'),
    recognition: ms('Until the words were known'),
    endpoint: ms('Until the endpoint had answered'),
    model: ms('Until the first token, when the endpoint says so'),
    clause: ms('From the first token until something could be spoken, when the endpoint says so'),
    voice: ms('Until the answer sounded'),
    total: ms('From the caller’s last sound to the first of the answer'),
  }),
  slowest: Type.Optional(OneOf(['silence', 'recognition', 'endpoint', 'model', 'clause', 'voice'])),
})

const Finding = Output({
  code: OneOf(findingCodes),
  severity: OneOf(['info', 'warning', 'error']),
  turn: Type.Optional(Type.Integer()),
  text: Type.String({ description: 'In the language of whoever asks' }),
  advice: Type.Optional(Type.String({ description: 'What can be done about it' })),
  evidence: Type.Array(Type.Integer(), { description: 'Sequences of the timeline' }),
})

/** Why a call went as it did; derived from its timeline alone, so the same call always gets the same explanation. */
export const Explanation = Output({
  callId: Type.String(),
  flowId: Type.Optional(Type.String()),
  running: Type.Boolean(),
  durationMs: Type.Optional(Type.Integer()),
  endedBy: Type.Optional(OneOf(callEnders)),
  reason: Type.Optional(OneOf(sessionEndReasons)),
  outcome: Type.String({ description: 'The whole in one or two sentences' }),
  turns: Type.Array(ExplainedTurn),
  findings: Type.Array(Finding, { description: 'The worst first' }),
})
export type Explanation = Static<typeof Explanation>

/** Contains spoken words, like the timeline. */
const reading = { ...readingHistory, method: 'GET' } as const

export const explanationOperations = {
  explainCall: operation({
    ...reading,
    id: 'explainCall',
    heavy: true,
    tools: ['explain_call'],
    path: '/v2/calls/{callId}/explanation',
    summary: 'Why a call went as it did: who waited for whom, what ended each turn, what was discarded, what was lost',
    query: Input({ language: Type.Optional(OneOf(['de', 'en'])) }),
    reply: Explanation,
    errors: ['timeline_not_found'],
  }),
  getCallScenario: operation({
    ...reading,
    id: 'getCallScenario',
    heavy: true,
    path: '/v2/calls/{callId}/scenario',
    summary: 'A call as a conversation that can be held again: what the caller said, pressed and interrupted, and what came of it',
    query: Input({
      words: Type.Optional(Type.Boolean({ description: 'True: what the assistant said is expected, too, and not only what it did' })),
    }),
    reply: Scenario,
    errors: ['timeline_not_found', 'call_not_repeatable'],
  }),
}
