import { Type, type Static, type TProperties } from 'typebox'
import { deliveryStates, eventTypes } from '../assistant/events.ts'
import { sessionEndReasons } from '../assistant/session.ts'
import { routingActions, verdictReasons } from '../office-hours.ts'
import { operation } from '../operation.ts'
import { Input, OneOf, Output } from '../values.ts'
import { readingHistory } from './history.ts'

/** Events of a call as a whole. */
export const callMoments = [
  'started',
  'ringing',
  'answered',
  'held',
  'retrieved',
  'muted',
  'unmuted',
  'recording_announced',
  'recording_consented',
  'recording_declined',
  'recording',
  'recording_paused',
  'recording_resumed',
  'recording_stopped',
  'transferred',
  'ended',
] as const
export type CallMoment = (typeof callMoments)[number]

/**
 * Audio problems of a phone: packets come from an address that neither SDP nor signalling named (unknown_source), or are not as negotiated
 * (unknown_format); none since the beginning (nothing), or no longer (stopped); the phone reports that it receives no packets from us
 * (unheard). `heard`: the problem is over.
 */
export const soundStates = ['unknown_source', 'unknown_format', 'nothing', 'stopped', 'unheard', 'heard'] as const

/**
 * Why a turn ended after that much silence: end-of-turn probability (probability), a complete answer (answer), a number that could continue
 * (digits) or could not (all_digits), no words understood (no_words), or by the words alone (words: turn taking `classic`).
 */
export const turnEndRules = ['probability', 'answer', 'digits', 'all_digits', 'no_words', 'words'] as const

/**
 * Why the caller's words stopped the assistant: a stop word (stop_word); words with high confidence (words); a word in long speech
 * (long_voice); an answer to its question (answer); clear at the end of the turn (end_of_turn); enough characters (characters: strategies
 * immediate and minimum_characters).
 */
export const interruptionReasons = ['stop_word', 'words', 'long_voice', 'answer', 'end_of_turn', 'characters', 'voice'] as const
export type InterruptionReason = (typeof interruptionReasons)[number]

export const callEnders = ['caller', 'callee', 'assistant', 'api', 'network', 'service'] as const

const eventId = Type.String({ description: 'The event that it belongs to; the same in the delivery log' })
const turn = Type.Integer({ description: 'Of the caller, from 1; 0 before the first' })
const sinceLastSound = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description}; ms since the caller's last sound` }))

/** Why the turn ended. */
const TurnEnd = Output({
  rule: OneOf(turnEndRules),
  silenceMs: Type.Integer({ description: 'The silence that ended it' }),
  leastMs: Type.Integer({ description: 'If it had surely been over' }),
  mostMs: Type.Integer({ description: 'If it had surely not' }),
  probability: Type.Optional(Type.Number({ description: 'That it was over, when the caller paused: 0 to 1' })),
  parts: Type.Optional(
    Type.Record(Type.String(), Type.Number(), { description: 'What made it so: above 0 for the end, below 0 against it' }),
  ),
})

/** Bytes as sent, decoded as text. */
const Body = {
  body: Type.String({ description: 'As it was sent' }),
  bodyBytes: Type.Integer({ description: 'Of the whole body' }),
  cut: Type.Optional(Type.Literal(true, { description: 'Only the first 64 kB of the body are here' })),
}
export const Bytes = {
  headers: Type.Record(Type.String(), Type.String(), { description: 'As they were sent; keys are masked, signatures are not' }),
  ...Body,
}

const percent = (description: string) => Type.Number({ description: `${description}; 0 to 100` })

/** Reception quality of a phone, from its first packet to its last. */
const LegQuality = {
  packetsReceived: Type.Integer(),
  packetsLost: Type.Integer(),
  jitterMs: Type.Number({ description: 'The mean of all packets (RFC 3550)' }),
  roundTripMs: Type.Optional(Type.Number({ description: 'To the phone and back, as its last report says' })),
  worst: Type.Optional(
    Output({
      at: Type.Integer({ description: 'When the stretch began in which most got lost; milliseconds since 1970' }),
      durationMs: Type.Integer({ description: 'Three seconds, or more when nothing came for longer' }),
      lossPercent: percent('Of its packets'),
    }),
  ),
  reported: Type.Optional(Output({ lossPercent: percent('Of our packets: what did not reach the phone, as its last report says') })),
}

const entry = <const K extends string, P extends TProperties>(kind: K, properties: P) =>
  Output({
    callId: Type.String(),
    sequence: Type.Integer({ description: 'Rising, in the order in which things happened' }),
    at: Type.Integer({ description: 'Milliseconds since 1970' }),
    flowId: Type.Optional(Type.String({ description: 'The assistant that has the call' })),
    kind: Type.Literal(kind),
    ...properties,
  })

export const timelineEntries = {
  call: entry('call', {
    state: OneOf(callMoments),
    from: Type.Optional(Type.String({ description: 'started: who calls; a number, an extension, or anonymous' })),
    to: Type.Optional(Type.String({ description: 'started: who is called' })),
    by: Type.Optional(OneOf(callEnders)),
    reason: Type.Optional(OneOf(sessionEndReasons)),
    cause: Type.Optional(Type.String({ description: 'ended: what phones were told, or said' })),
    explanation: Type.Optional(Type.String({ description: "ended: what that means, in the asker's language" })),
  }),
  routing: entry('routing', {
    target: Type.String({ description: 'Whose rules: the name of a line, group or flow, or a number' }),
    because: OneOf(['OPEN', 'CLOSED', 'NO_ANSWER', 'BUSY', 'UNREACHABLE']),
    schedule: Type.Optional(Type.String({ description: 'Name of the office hours that were asked' })),
    decidedBy: Type.Optional(OneOf(verdictReasons)),
    day: Type.Optional(Type.String({ description: 'Name of the special day' })),
    since: Type.Optional(Type.String({ description: 'Closed since this time of the day: 17:00' })),
    action: OneOf(routingActions),
    to: Type.Optional(Type.String({ description: 'The name of a flow, a voicemail, a number or an extension' })),
    explanation: Type.Optional(Type.String({ description: "What that means, in the asker's language" })),
  }),
  sound: entry('sound', {
    state: OneOf(soundStates),
    of: OneOf(['caller', 'callee']),
    deviceId: Type.Optional(Type.String({ description: 'The phone, when it is one of the account' })),
  }),
  quality: entry('quality', {
    of: OneOf(['caller', 'callee']),
    deviceId: Type.Optional(Type.String({ description: 'The phone, when it is one of the account' })),
    ...LegQuality,
  }),
  voice: entry('voice', {
    speaking: Type.Boolean({ description: 'True: the caller begins to speak; false: has ended' }),
    sample: Type.Optional(
      Type.Integer({ description: 'Which one of what the assistant has heard, 8000 a second: `at` is as exact as the machine was idle' }),
    ),
  }),
  heard: entry('heard', {
    turn,
    text: Type.String(),
    final: Type.Boolean({ description: 'False: may still change; only told live, not kept' }),
    typed: Type.Boolean({ description: 'Written instead of spoken' }),
    bargedIn: Type.Optional(Type.Boolean({ description: 'It interrupted the assistant' })),
    recogniser: Type.Optional(Type.String({ description: 'Who wrote it down: the provider, and its model where it has several' })),
  }),
  key: entry('key', { digit: Type.String({ description: '•: which one is not kept' }) }),
  event: entry('event', {
    eventId,
    type: OneOf(eventTypes),
    turn,
    body: Type.Unknown({ description: 'The event as the endpoint is told it' }),
  }),
  attempt: entry('attempt', {
    eventId,
    attempt: Type.Integer({ description: '0: not even tried; error says why' }),
    channel: OneOf(['webhook', 'websocket', 'fallback', 'listener']),
    url: Type.Optional(Type.String()),
    request: Type.Optional(Output(Bytes)),
    response: Type.Optional(Output({ status: Type.Optional(Type.Integer({ description: 'Of a webhook' })), ...Bytes })),
    durationMs: Type.Integer(),
    state: OneOf(deliveryStates),
    error: Type.Optional(Type.String({ description: 'Why the attempt failed' })),
  }),
  message: entry('message', {
    eventId: Type.String({ description: 'The last event that was sent before' }),
    ...Body,
  }),
  action: entry('action', { eventId, turn, action: Type.Unknown({ description: 'As it was received; long sound is left out' }) }),
  speaks: entry('speaks', {
    eventId,
    text: Type.Optional(Type.String({ description: 'What begins to sound, as it was wanted; missing: a sound without words' })),
  }),
  spoke: entry('spoke', {
    eventId,
    text: Type.Optional(Type.String({ description: 'What really sounded: less than what was wanted when it was cut off' })),
    startedAt: Type.Integer({ description: 'Milliseconds since 1970' }),
    playedMs: Type.Integer(),
    completed: Type.Boolean({ description: 'False: it was cut off' }),
    protected: Type.Optional(Type.Literal(true, { description: 'It had to be heard to its end' })),
    cutBy: Type.Optional(
      Output({ reason: OneOf(interruptionReasons), text: Type.String({ description: 'What was understood at that moment' }) }),
    ),
  }),
  briefing: entry('briefing', {
    eventId,
    state: OneOf(['begun', 'accepted', 'declined', 'undecided'], {
      description: 'The target of a warm transfer has answered, and decides',
    }),
    by: Type.Optional(OneOf(['key', 'voice', 'hangup', 'machine'], { description: 'How it decided; machine: nobody could' })),
  }),
  ducked: entry('ducked', {
    ducked: Type.Boolean({ description: "True: the assistant becomes softer under the caller's voice; false: is as loud as before" }),
  }),
  unclear: entry('unclear', {
    durationMs: Type.Integer({ description: 'How long the caller spoke without being understood' }),
    text: Type.Optional(Type.String({ description: 'What it may have been; missing: no words at all' })),
    confidence: Type.Optional(Type.Number()),
  }),
  filler: entry('filler', { turn, text: Type.String({ description: 'What we said while the answer was awaited' }) }),
  backchannel: entry('backchannel', { text: Type.String({ description: 'Said to show that one listens: the assistant goes on' }) }),
  discarded: entry('discarded', {
    eventId,
    turn,
    action: Type.String({ description: 'Type of the action' }),
    reason: OneOf(['superseded', 'ended']),
  }),
  turn: entry('turn', {
    turn,
    vadEndMs: sinceLastSound('Silence was noticed'),
    endpointMs: sinceLastSound('The silence was long enough'),
    sttFinalMs: sinceLastSound('The words were known'),
    decidedMs: sinceLastSound('The session heard of it'),
    sentMs: sinceLastSound('The endpoint was asked'),
    answeredMs: sinceLastSound('The endpoint had answered'),
    firstSoundMs: sinceLastSound('The answer began to sound'),
    end: Type.Optional(TurnEnd),
  }),
  note: entry('note', {
    eventId,
    turn,
    name: Type.String({ description: 'What it is about, as the endpoint says' }),
    data: Type.Optional(Type.Unknown({ description: 'As the endpoint sent it; name result: what came of the call' })),
  }),
  problem: entry('problem', { eventId: Type.Optional(eventId), message: Type.String() }),
}

export type TimelineKind = keyof typeof timelineEntries
export type TimelineEntryOf<K extends TimelineKind> = Static<(typeof timelineEntries)[K]>
export type TimelineEntry = { [K in TimelineKind]: TimelineEntryOf<K> }[TimelineKind]

export const TimelineEntry = Type.Unsafe<TimelineEntry>(Type.Union(Object.values(timelineEntries)))

/** Contains spoken words: readable for users who may read the history and its recordings. */
const reading = { ...readingHistory, method: 'GET' } as const

const language = Type.Optional(OneOf(['de', 'en']))

export const timelineOperations = {
  getTimeline: operation({
    ...reading,
    id: 'getTimeline',
    continues: true,
    heavy: true,
    tools: ['read_transcript'],
    path: '/v2/calls/{callId}/timeline',
    summary:
      'What happened in a call, running or over, in order; what went to and fro between us and the endpoint only for tokens with scope all',
    query: Input({
      language,
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'What follows this sequence' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 500 })),
    }),
    reply: Output({
      items: Type.Array(TimelineEntry),
      more: Type.Boolean({ description: 'There is more already: ask again, after the last one' }),
      running: Type.Boolean(),
    }),
    errors: ['timeline_not_found'],
  }),
  watchTimeline: operation({
    ...reading,
    id: 'watchTimeline',
    path: '/v2/timeline',
    summary:
      'What happens in calls, as it happens (server-sent events). Of one call: from its beginning, or from where Last-Event-ID says; ' +
      'else those of the caller, for administrators of the account',
    query: Input({
      language,
      callId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      flowId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    }),
    events: TimelineEntry,
    errors: ['timeline_not_found', 'rate_limited'],
  }),
}
