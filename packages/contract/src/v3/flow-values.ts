import { Type, type TObject, type TProperties } from 'typebox'
import { BargeIn, TtsWish, turnTakings, VadWish } from '../assistant/actions.ts'
import { variablesShape } from '../assistant/variables.ts'
import { extendedEvents, mediaFormats, mediaRates, usualExtendedEvents } from '../assistant/events.ts'
import { Input, Nullable, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

export { mediaFormats, mediaRates }

/** The endpoint that answers: the customer's, or the assistant edited here (`…/assistant`). */
export const flowEndpoints = ['own', 'assistant'] as const

/**
 * Protocol of the endpoint: ours, or that of another system, whose servers then need no change. `twilio`: webhookUrl answers with TwiML;
 * `conversation_relay`, `media_streams`, `retell`, `jambonz`, `openai_realtime`: websocketUrl; `vapi`: webhookUrl is a custom LLM (chat
 * completions).
 */
export const endpointProtocols = [
  'offhook',
  'twilio',
  'conversation_relay',
  'media_streams',
  'vapi',
  'retell',
  'jambonz',
  'openai_realtime',
] as const

/** text: words in both directions (default); audio: audio instead, without speech recognition; both: words and audio. */
export const mediaModes = ['text', 'audio', 'both'] as const

/** Redacted from timelines and results where recognised. Audio is kept unchanged. */
export const redactions = ['card', 'iban', 'email', 'phone', 'digits'] as const

export const machineDetections = ['off', 'field', 'event'] as const

/** The same fields, without additional ones. */
const closed = <P extends TProperties>(shape: TObject<P>) => Input(shape.properties)

const Address = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description }))
const Words = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description }))
const Whole = (minimum: number, maximum: number, description: string) => Type.Optional(Type.Integer({ minimum, maximum, description }))

const Recogniser = Input({
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'embedded, openai, deepgram, eleven_labs, azure' })),
  languages: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), { minItems: 1, maxItems: 4, description: 'BCP 47, the likeliest first' }),
  ),
  custom_vocabulary: Type.Optional(
    Type.Array(RequiredText(200), { maxItems: 100, description: 'Names and words that callers are likely to say' }),
  ),
})

/** How voices say a name. */
const Pronunciation = Input({
  word: RequiredText(60),
  say: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^\\s*(?:/[^/<>\\s][^/<>]*/|[^/<>\\s][^/<>]*)\\s*$',
    description: 'Spelled as it sounds (Seegle), or IPA between slashes (/ˈziːɡl̩/)',
  }),
  language: Type.Optional(Type.String({ maxLength: 20, description: 'BCP 47; only in this language. Default: in all' })),
})

const Timeouts = Input({
  total_ms: Whole(1000, 60_000, 'How long a caller waits for the answer to one event, attempts included; default 15000'),
  attempt_ms: Whole(100, 60_000, 'A request without an answer is given up after so long, and not repeated; default: total_ms'),
  user_input_seconds: Type.Optional(
    Type.Number({ minimum: 0, maximum: 3600, description: 'How long the caller may say nothing after the assistant; 0: for ever' }),
  ),
  silence_seconds: Whole(5, 3600, 'The call ends when the caller has said nothing for so long'),
  max_call_seconds: Whole(10, 14_400, 'The call ends after so long'),
})

const Fallback = Input({
  text: Words('Said when the endpoint cannot be reached'),
  transfer_to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'A number or extension that gets the caller when the endpoint cannot be reached',
    }),
  ),
})

const Fillers = Input({
  after_ms: Whole(500, 10_000, 'How long the caller hears nothing before the first one; default 1200'),
  texts: Type.Optional(
    Type.Array(RequiredText(100), { minItems: 1, maxItems: 10, description: 'Said in turn; default: some in the language of the flow' }),
  ),
  off: Type.Optional(
    Type.Boolean({ description: 'True: none, and no questions of ours either, whether anybody is there and what was said' }),
  ),
})

/** Audio over the WebSocket in addition to the JSON of events and actions: binary messages of 20 ms. */
const Media = Input({
  mode: OneOf(mediaModes, { description: 'text (default): none; audio: instead of words, which nobody recognises then; both' }),
  format: Type.Optional(OneOf(mediaFormats, { description: 'pcm16 (default): 16 bit, little endian; pcmu, pcma: at 8000 only' })),
  rate: Type.Optional(
    Type.Unsafe<(typeof mediaRates)[number]>({
      type: 'integer',
      enum: [...mediaRates],
      description: 'Samples a second; default 16000, of pcmu and pcma 8000',
    }),
  ),
})

/** Settings of a flow, writable and readable. */
const settings = {
  endpoint: Type.Optional(
    OneOf(flowEndpoints, {
      description: 'own (default): events go to the addresses below; assistant: the one that is written here answers, see …/assistant',
    }),
  ),
  webhookUrl: Address('Where events go: http or https'),
  websocketUrl: Address('Where events go over a WebSocket: ws or wss. With both, this is tried first'),
  fallbackUrl: Address('Asked when a session begins and the webhook cannot be reached: http or https'),
  protocol: Type.Optional(
    OneOf(endpointProtocols, {
      description:
        'Which language the endpoint speaks; default offhook. With twilio webhookUrl answers with TwiML, with vapi it is a custom LLM; the others ' +
        'use websocketUrl',
    }),
  ),
  media: Type.Optional(Media),
  phone_number: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'A number of the account, E.164 with or without the plus sign: shown to the people whom the flow calls',
    }),
  ),
  language: Type.Optional(Type.String({ maxLength: 20, description: 'BCP 47, such as de-DE; default: that of the account' })),
  tts: Type.Optional(closed(TtsWish)),
  stt: Type.Optional(Recogniser),
  pronunciations: Type.Optional(
    Type.Array(Pronunciation, { maxItems: 200, description: 'Names and words that voices would say wrong, in any case of letters' }),
  ),
  barge_in: Type.Optional(closed(BargeIn)),
  vad: Type.Optional(closed(VadWish)),
  turn_taking: Type.Optional(
    OneOf(turnTakings, { description: 'How long a pause of the caller may be before the turn is over; default normal' }),
  ),
  fillers: Type.Optional(Fillers),
  timeouts: Type.Optional(Timeouts),
  fallback: Type.Optional(Fallback),
  retry_text: Words('Said when an answer did not come'),
  extended_events: Type.Optional(
    Type.Union([Type.Boolean(), Type.Array(OneOf(extendedEvents), { maxItems: extendedEvents.length })], {
      description: `true: ${usualExtendedEvents.join(', ')}; or those that are listed, user_speak_partial, user_speak_preview and user_speak_revoked among them`,
    }),
  ),
  transfer_targets: Type.Optional(
    Type.Array(RequiredText(40), {
      maxItems: 100,
      description: 'Where the assistant may transfer to: numbers (+49…), beginnings of numbers (+4930*), extensions (p0). None: nowhere',
    }),
  ),
  recording: Type.Optional(Type.Boolean({ description: 'Every call is recorded, both sides apart' })),
  keep_timeline: Type.Optional(
    Type.Boolean({
      description: 'False: what happens in calls can be watched, but is not kept; the words of callers are in it. Default: true',
    }),
  ),
  redact: Type.Optional(
    Type.Array(OneOf(redactions), {
      maxItems: redactions.length,
      description:
        'What is not kept in timelines and results where it can be recognised, written or said in English or German: card (by its sum), iban, ' +
        'email, phone, digits (four and more). Keys are not kept either. Endpoints are told what was said; sound is recorded as it is',
    }),
  ),
  answering_machine_detection: Type.Optional(OneOf(machineDetections)),
  answer_after_seconds: Whole(0, 60, 'An incoming call rings for so long first'),
  variables: Type.Optional(
    variablesShape('Defaults of the variables of its calls, and the names that its prompt may use. At most 16 KiB of JSON'),
  ),
}

export const FlowWish = Input({
  name: RequiredText(100),
  ...settings,
  apiKey: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Sent as X-API-Key and X-API-TOKEN, never shown again. On a change: what is left out stays, null removes it; required again when an address leads to another host',
      }),
    ),
  ),
})

/** Programs send a flow back as they read it, minus the fields they know as read-only: fields added later must not be rejected. */
export const FlowChange = Input({
  ...FlowWish.properties,
  version: Type.Optional(Type.Integer({ description: 'As it was read; ignored. If-Match keeps the changes of others' })),
  health: Type.Optional(Type.Unknown({ description: 'As it was read; ignored' })),
})

/** The settings of a flow as once saved, without keys and secrets. */
export const FlowVersion = Output({
  version: Type.Integer({ description: 'Counted from 1' }),
  at: Timestamp,
  author: Type.Optional(Type.String({ description: 'The user who saved it; missing: nobody noted it' })),
  settings: Output({ name: Type.String(), ...settings }),
})

const Spoken = Output({
  provider: Type.Optional(Type.String({ description: 'What is used; missing: nothing' })),
  language: Type.String(),
  missing: Type.Optional(Type.String({ description: 'What keeps the settings from being followed' })),
})

export const healthStates = ['OK', 'FAILING', 'UNTESTED', 'INCOMPLETE'] as const

const healthOfFlow = {
  state: OneOf(healthStates, {
    description:
      'FAILING: what was told last did not arrive, three times in a row, or nothing is sent any more. UNTESTED: nothing was told in the last ' +
      '30 days. INCOMPLETE: nobody is there to be told: no address, or no version of the assistant',
  }),
  since: Type.Optional(Type.String({ description: 'FAILING: since when; ISO 8601, UTC' })),
  lastSuccessAt: Type.Optional(Timestamp),
  lastFailure: Type.Optional(
    Output({ at: Timestamp, status: Type.Optional(Type.Integer()), message: Type.String(), deliveryId: Type.String() }),
  ),
}

/** Recent delivery results of a flow's endpoint. */
export const FlowHealth = Output(healthOfFlow)

/** The same, with counts. */
export const FlowHealthToday = Output({
  ...healthOfFlow,
  last24h: Output({ ok: Type.Integer(), failed: Type.Integer() }),
})

export const Flow = Output({
  id: Type.String(),
  name: Type.String(),
  ...settings,
  apiKeySet: Type.Boolean(),
  version: Type.Integer({ description: 'Rises with each change of the settings; also as ETag' }),
  disabledBecause: Type.Optional(Type.String({ description: 'Events are not sent any more until the flow is changed' })),
  /** A developer's machine receives the events in place of the endpoint. */
  listener: Type.Optional(
    Output({ to: Type.Optional(Type.String({ description: 'Where events are handed on to, as who listens says' })) }),
  ),
  speech: Output({ speaks: Spoken, hears: Spoken }),
})
