import { Type, type Static } from 'typebox'
import { OneOf, Output } from '../values.ts'
import { Session, sessionEndReasons } from './session.ts'

export const mediaFormats = ['pcm16', 'pcmu', 'pcma'] as const
export const mediaRates = [8000, 16_000, 24_000] as const

/** Format of the binary audio messages, if the flow enables it (`media`). */
const SessionMedia = Output({
  mode: OneOf(['audio', 'both']),
  format: OneOf(mediaFormats),
  rate: Type.Unsafe<(typeof mediaRates)[number]>({ type: 'integer', enum: [...mediaRates] }),
})

const played_ms = Type.Integer({ description: 'How much of all the sound that the endpoint sent in this session the caller has heard' })

const SpokenWord = Output({
  text: Type.String(),
  start_ms: Type.Integer({ description: 'Since the caller began to speak' }),
  end_ms: Type.Integer(),
  confidence: Type.Optional(Type.Number()),
})

const stream_id = Type.Optional(
  Type.String({ description: 'Of the speak actions that it was made of, if they had one. Only with extended_events' }),
)

/** Another assistant of the account had the caller before; variables are in the session. */
const TransferredFrom = Output({
  flow_id: Type.String(),
  session_id: Type.String(),
  language: Type.String({ description: 'BCP 47: in which the caller was spoken with last' }),
  disclosed: Type.Boolean({ description: 'The caller has heard, to the end, that a machine speaks' }),
  summary: Type.Optional(Type.String({ description: 'From the transfer action' })),
  transcript: Type.Array(Output({ by: OneOf(['caller', 'assistant']), text: Type.String() }), {
    description: 'What was said last, as far as it was heard',
  }),
})
export type TransferredFrom = Static<typeof TransferredFrom>

export const audioClearReasons = ['barge_in', 'audio_clear', 'ended'] as const

/**
 * Events for a customer's endpoint. The first four are always sent; the others only to flows that request them (`extended_events`), the
 * last two to those with audio (`media`).
 */
export const assistantEvents = {
  session_start: Output({
    type: Type.Literal('session_start'),
    session: Session,
    answered_by: Type.Optional(OneOf(['human', 'machine', 'unknown'])),
    media: Type.Optional(SessionMedia),
    transferred_from: Type.Optional(TransferredFrom),
  }),
  user_speak: Output({
    type: Type.Literal('user_speak'),
    session: Session,
    text: Type.String(),
    barged_in: Type.Boolean({ description: 'The caller interrupted the assistant' }),
    heard_text: Type.Optional(Type.String({ description: 'On an interruption: what the caller had heard of the answer' })),
    heard_ms: Type.Optional(Type.Number()),
    language: Type.Optional(Type.String()),
    confidence: Type.Optional(Type.Number()),
    words: Type.Optional(Type.Array(SpokenWord, { description: 'When each word was said; only for recognisers that know' })),
    previewed: Type.Optional(Type.Boolean({ description: 'The answer to user_speak_preview counts: no other is expected' })),
  }),
  assistant_speak: Output({
    type: Type.Literal('assistant_speak'),
    session: Session,
    text: Type.Optional(Type.String()),
    ssml: Type.Optional(Type.String()),
    duration_ms: Type.Number({ description: 'How long it sounded: less than all of it when it was interrupted' }),
    speech_started_at: Type.Number({ description: 'Milliseconds since 1970' }),
    heard_text: Type.Optional(
      Type.String({ description: 'When it was cut off: what the caller had heard of it. Only with extended_events' }),
    ),
    stream_id,
  }),
  session_end: Output({ type: Type.Literal('session_end'), session: Session, reason: OneOf(sessionEndReasons) }),
  assistant_speech_ended: Output({
    type: Type.Literal('assistant_speech_ended'),
    session: Session,
    completed: Type.Boolean({ description: 'False when it was cut off' }),
    heard_ms: Type.Number(),
    stream_id,
  }),
  user_input_timeout: Output({ type: Type.Literal('user_input_timeout'), session: Session }),
  dtmf_received: Output({ type: Type.Literal('dtmf_received'), session: Session, digit: Type.String() }),
  user_speech_started: Output({ type: Type.Literal('user_speech_started'), session: Session, played_ms: Type.Optional(played_ms) }),
  action_discarded: Output({
    type: Type.Literal('action_discarded'),
    session: Session,
    action: Type.String({ description: 'Type of the action' }),
    turn: Type.Integer({ description: 'The turn that it answered' }),
    reason: OneOf(['superseded', 'ended', 'unspeakable'], { description: 'unspeakable: nothing in it that a voice can say' }),
  }),
  transfer_failed: Output({ type: Type.Literal('transfer_failed'), session: Session, target: Type.String(), cause: Type.String() }),
  machine_detected: Output({
    type: Type.Literal('machine_detected'),
    session: Session,
    result: OneOf(['human', 'machine', 'beep', 'unknown']),
  }),
  user_speech_unclear: Output({
    type: Type.Literal('user_speech_unclear'),
    session: Session,
    duration_ms: Type.Integer({ description: 'How long the caller spoke' }),
    best_guess: Type.Optional(Type.String({ description: 'What it may have been' })),
    confidence: Type.Optional(Type.Number()),
  }),
  user_backchannel: Output({
    type: Type.Literal('user_backchannel'),
    session: Session,
    text: Type.String({ description: 'Said to show that one listens: mhm, okay. The assistant goes on' }),
  }),
  user_speak_partial: Output({
    type: Type.Literal('user_speak_partial'),
    session: Session,
    text: Type.String({ description: 'What was understood until now' }),
    stable_chars: Type.Integer({ description: 'So many characters at its beginning are not likely to change any more' }),
  }),
  user_speak_preview: Output({
    type: Type.Literal('user_speak_preview'),
    session: Session,
    turn_token: Type.String({ description: 'To be named by the actions that answer it over a WebSocket' }),
    text: Type.String(),
    confidence: Type.Optional(Type.Number()),
    end_probability: Type.Number({ description: 'How likely the caller has finished: 0 to 1' }),
  }),
  user_speak_revoked: Output({
    type: Type.Literal('user_speak_revoked'),
    session: Session,
    turn_token: Type.String({ description: 'The caller went on: nothing that answers this preview is heard' }),
  }),
  session_resumed: Output({
    type: Type.Literal('session_resumed'),
    session: Session,
    sequence: Type.Integer({ description: 'Of the last event that is known to have been sent before' }),
    lost_ms: Type.Number({ description: 'For how long the assistant neither heard nor said anything' }),
    interrupted_event_id: Type.Optional(Type.String({ description: 'The event whose answer was being said; it is not said again' })),
    media: Type.Optional(SessionMedia),
  }),
  audio_played: Output({
    type: Type.Literal('audio_played'),
    session: Session,
    name: Type.String({ description: 'Of the audio_mark action: all sound that was sent before it was heard' }),
    played_ms,
  }),
  audio_cleared: Output({
    type: Type.Literal('audio_cleared'),
    session: Session,
    played_ms,
    reason: OneOf(audioClearReasons, {
      description:
        'Sound that was not heard is gone. barge_in: the caller cut it off, and what was sent before this event arrived is not heard either; ' +
        'audio_clear: the endpoint wanted it; ended: the caller is transferred or gone',
    }),
  }),
}

export type EventType = keyof typeof assistantEvents
export const eventTypes = Object.keys(assistantEvents) as EventType[]
export type AssistantEvent = { [T in EventType]: Static<(typeof assistantEvents)[T]> }[EventType]

/** Sent to every endpoint, because the interface has always had them. */
export const basicEvents = ['session_start', 'user_speak', 'assistant_speak', 'session_end'] as const satisfies EventType[]

/** Sent to flows that request all of them (`extended_events: true`) or some: a strict endpoint may not know them. */
export const usualExtendedEvents = [
  'assistant_speech_ended',
  'user_input_timeout',
  'dtmf_received',
  'user_speech_started',
  'action_discarded',
  'transfer_failed',
  'machine_detected',
  'session_resumed',
  'user_speech_unclear',
  'user_backchannel',
] as const satisfies EventType[]

/** Sent only to flows that name them: they cost time and requests, and need their own answers. */
export const extendedEvents = [
  ...usualExtendedEvents,
  'user_speak_partial',
  'user_speak_preview',
  'user_speak_revoked',
] as const satisfies EventType[]
export type ExtendedEvent = (typeof extendedEvents)[number]

/** Only useful in real time: over a webhook they would wait for the answer to the previous event, and later events for them. */
export const webSocketEvents = ['user_speech_started', 'user_speak_partial', 'audio_played', 'audio_cleared'] as const satisfies EventType[]

/** Belong to audio over the WebSocket: flows with audio get them without a request, and no others do. */
export const mediaEvents = ['user_speech_started', 'dtmf_received', 'audio_played', 'audio_cleared'] as const satisfies EventType[]

/** Delivery state of an event. */
export const deliveryStates = ['delivered', 'failed', 'superseded', 'dead'] as const
