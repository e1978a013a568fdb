import { Type, type Static } from 'typebox'
import { BargeIn, turnTakings, VadWish } from '../assistant/actions.ts'
import { operation } from '../operation.ts'
import { Input, OneOf, Output, RequiredText } from '../values.ts'
import { interruptionReasons, turnEndRules } from './timeline.ts'

/** Maximum seconds; a longer recording is cut, which is reported. */
export const longestLabSeconds = 900
export const mostLabVariants = 50

/** As in the settings of a flow. Missing fields use the flow's settings; settings of a speak action remain. */
const LabSettings = Input({
  vad: Type.Optional(Input(VadWish.properties)),
  turn_taking: Type.Optional(OneOf(turnTakings)),
  barge_in: Type.Optional(Input(BargeIn.properties)),
  language: Type.Optional(Type.String({ minLength: 2, maxLength: 20, description: 'BCP 47, such as de-DE' })),
})
export type LabSettings = Static<typeof LabSettings>

const place = (description: string) => Type.Integer({ minimum: 0, description: `${description}; ms since the recording began` })

/** What the caller really said, labelled by a listener. */
const LabLabel = Input({
  startMs: place('The first sound'),
  endMs: place('The last sound'),
  backchannel: Type.Optional(Type.Boolean({ description: 'Only to show that one listens: nothing to be answered' })),
})
export type LabLabel = Static<typeof LabLabel>

/** Outcome of the caller's words: sent to the endpoint; a back-channel; no words; lost in a speech with barge-in `none`. */
export const labOutcomes = ['told', 'backchannel', 'no_words', 'unheard'] as const

const LabTurn = Output({
  startMs: place('The first sound of the caller'),
  endMs: place('The last one'),
  decidedMs: place('The turn was over'),
  outcome: OneOf(labOutcomes),
  rule: Type.Optional(OneOf(turnEndRules)),
  text: Type.Optional(Type.String({ description: 'Redacted as the timeline of the flow is' })),
  overSpeech: Type.Optional(Type.Literal(true, { description: 'It began while the assistant spoke' })),
})
export type LabTurn = Static<typeof LabTurn>

const LabInterruption = Output({
  atMs: place('The assistant fell silent'),
  reason: Type.Optional(OneOf(interruptionReasons)),
  text: Type.Optional(Type.String({ description: 'What was understood at that moment' })),
  eventId: Type.Optional(Type.String({ description: 'The speech that was cut off' })),
  heardMs: Type.Integer({ description: 'How much of it had been heard' }),
  false: Type.Optional(Type.Literal(true, { description: 'The caller said nothing that was worth it: a back-channel, or no words' })),
})
export type LabInterruption = Static<typeof LabInterruption>

const findings = {
  turns: Type.Array(LabTurn),
  interruptions: Type.Array(LabInterruption),
  told: Type.Integer({ description: 'Turns that the endpoint was told' }),
  falseInterruptions: Type.Integer(),
  missed: Type.Integer({ description: 'The caller said something into a speech, which went on all the same' }),
  meanWaitMs: Type.Optional(Type.Integer({ description: "From the caller's last sound until the turn was over; missing: no turns" })),
  precision: Type.Optional(Type.Number({ description: 'With labels: the share of turns that end where a labelled one does' })),
  recall: Type.Optional(Type.Number({ description: 'With labels: the share of labelled turns that are found, whole and alone' })),
}

const LabVariant = Output({
  name: Type.String(),
  settings: LabSettings,
  ...findings,
  splits: Type.Integer({ description: 'Turns too many, where the reference has one: the labels, or the turns of the call' }),
  merged: Type.Integer({ description: 'Turns too few, where the reference has several' }),
  wonMs: Type.Optional(Type.Integer({ description: 'How much sooner an answer would begin than in the call, on average; below 0: later' })),
})
export type LabVariant = Static<typeof LabVariant>

/** Simulated result. Caller and assistant are as recorded: neither reacts to the differences. */
export const LabReport = Output({
  callId: Type.Optional(Type.String()),
  seconds: Type.Number({ description: 'How much was listened to' }),
  truncated: Type.Optional(Type.Literal(true, { description: `The recording is longer than ${longestLabSeconds} seconds` })),
  live: Type.Optional(Output({ ...findings, settings: LabSettings })),
  agreement: Type.Optional(
    Output({
      turns: Type.Integer({ description: 'Turns of the call' }),
      same: Type.Integer({
        description: 'Of these, found again at the same place with the settings of the call: so far the lab can be believed',
      }),
    }),
  ),
  variants: Type.Array(LabVariant, { description: 'In the order in which they were asked for' }),
})
export type LabReport = Static<typeof LabReport>

export const LabWish = Input({
  variants: Type.Array(Input({ name: Type.Optional(RequiredText(100)), settings: LabSettings }), {
    minItems: 1,
    maxItems: mostLabVariants,
  }),
  labels: Type.Optional(Type.Array(LabLabel, { maxItems: 1000, description: 'The reference instead of the turns of the call' })),
})
export type LabWish = Static<typeof LabWish>

export const labOperations = {
  /** Contains spoken words, like the timeline and the recording. */
  runLab: operation({
    id: 'runLab',
    method: 'POST',
    path: '/v2/calls/{callId}/lab',
    summary:
      'What would have been with other settings: the recorded sound of a call is listened to again, and turns and interruptions are decided as in a call',
    auth: 'user',
    bearer: true,
    scopes: ['history:read'],
    permission: 'CAN_GET_HISTORY',
    scoped: true,
    body: LabWish,
    status: 200,
    reply: LabReport,
    errors: ['timeline_not_found', 'call_not_recorded', 'lab_busy'],
  }),
}
