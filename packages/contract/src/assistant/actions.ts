import { Type, type Static } from 'typebox'
import { OneOf, Output } from '../values.ts'

export const bargeInStrategies = ['none', 'manual', 'minimum_characters', 'immediate', 'words'] as const

export const BargeIn = Output({
  strategy: Type.Optional(OneOf(bargeInStrategies)),
  minimum_characters: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 3 })),
  allow_after_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 })),
})

/** Out of range it is ignored, and the rest of the action is done. */
export const VadWish = Output({ end_of_turn_silence_ms: Type.Optional(Type.Integer({ minimum: 150, maximum: 2000 })) })

/**
 * How much time callers take: from a menu with short answers to a number that is read out. `classic`: the silence that the flow has set, longer
 * and shorter only by the words, as before it was judged how likely the turn is over.
 */
export const turnTakings = ['quick', 'normal', 'patient', 'dictation', 'classic'] as const

/** What the caller is likely to say next. */
export const expectations = ['anything', 'yes_no', 'digits', 'name', 'address', 'long'] as const

/** `blind`: the caller hears the target ring. `warm`: the caller hears music, the target hears who comes and accepts first. */
export const transferModes = ['blind', 'warm'] as const

/** In which mood the caller was, as far as the endpoint can tell. */
export const sentiments = ['positive', 'neutral', 'negative', 'unknown'] as const

/** Limit of `data` and `fields`, written as JSON. */
export const mostNoteBytes = 16 * 1024
/** `note` and `result` actions of one call. */
export const mostNotes = 500

/** Which voice speaks. An unknown provider or voice never silences the assistant: the flow's own takes its place. */
export const TtsWish = Output({
  provider: Type.Optional(
    Type.String({ maxLength: 40, description: 'embedded, openai, azure, eleven_labs; espeak, pico where installed' }),
  ),
  language: Type.Optional(Type.String({ maxLength: 20, description: 'BCP 47, such as de-DE' })),
  voice: Type.Optional(
    Type.Union([Type.String({ maxLength: 100 }), Output({ id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) })]),
  ),
})

const session_id = Type.String()
/** WebSocket: the turn that is answered; missing means the newest. */
const turn = Type.Optional(Type.Integer({ minimum: 0 }))
/** Of the user_speak_preview event that is answered: nothing of it is heard before the turn is over, and nothing at all if it goes on. */
const turn_token = Type.Optional(Type.String({ maxLength: 100 }))
const now = Type.Optional(Type.Boolean({ description: 'True: at once. Otherwise when everything that was said before was heard' }))

export const actions = {
  speak: Output({
    type: Type.Literal('speak'),
    session_id,
    turn,
    turn_token,
    text: Type.Optional(Type.String({ maxLength: 10_000 })),
    ssml: Type.Optional(Type.String({ maxLength: 10_000 })),
    tts: Type.Optional(TtsWish),
    barge_in: Type.Optional(BargeIn),
    vad: Type.Optional(VadWish),
    user_input_timeout_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3600 })),
    stream_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Pieces with the same id are one speech, spoken while the rest comes' }),
    ),
    last: Type.Optional(Type.Boolean({ description: 'With stream_id: nothing more comes. Missing: true' })),
    expects: Type.Optional(OneOf(expectations, { description: 'What the caller is likely to say next, until the next speak action' })),
    expects_digits: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30, description: 'With expects digits: the turn is over with the last of them' }),
    ),
    prefetch: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: 5,
        description: 'Sentences that may be said soon: their sound is made when nothing else has to be',
      }),
    ),
    protect: Type.Optional(
      Type.Boolean({
        description: 'True: it is heard to its end whatever the caller says, who is heard, too; barge_in does not count',
      }),
    ),
  }),
  audio: Output({
    type: Type.Literal('audio'),
    session_id,
    turn,
    turn_token,
    audio: Type.String({ description: 'Base64 of a WAV file: mono, 16 bit, 8 or 16 kHz' }),
    barge_in: Type.Optional(BargeIn),
    user_input_timeout_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3600 })),
  }),
  hangup: Output({ type: Type.Literal('hangup'), session_id, turn, turn_token, now }),
  transfer: Output({
    type: Type.Literal('transfer'),
    session_id,
    turn,
    turn_token,
    now,
    target: Type.String({ description: 'Also accepted as target_phone_number' }),
    caller_id_name: Type.Optional(Type.String({ maxLength: 100 })),
    caller_id_number: Type.Optional(Type.String({ maxLength: 40 })),
    mode: Type.Optional(OneOf(transferModes)),
    briefing: Type.Optional(Type.String({ maxLength: 1000, description: 'With mode warm: what the target hears before it accepts' })),
  }),
  barge_in: Output({ type: Type.Literal('barge_in'), session_id, turn, turn_token }),
  mix_audio: Output({
    type: Type.Literal('mix_audio'),
    session_id,
    turn,
    turn_token,
    audio: Type.Optional(Type.String()),
    volume: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.5 })),
    stop: Type.Optional(Type.Boolean()),
  }),
  configure_transcription: Output({
    type: Type.Literal('configure_transcription'),
    session_id,
    turn,
    turn_token,
    provider: Type.Optional(Type.String({ maxLength: 40, description: 'EMBEDDED, OPENAI, DEEPGRAM, ELEVEN_LABS, AZURE' })),
    languages: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { minItems: 1, maxItems: 4 })),
    custom_vocabulary: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
    vad: Type.Optional(VadWish),
    turn_taking: Type.Optional(OneOf(turnTakings)),
  }),
  send_dtmf: Output({
    type: Type.Literal('send_dtmf'),
    session_id,
    turn,
    turn_token,
    digits: Type.String({ pattern: '^[0-9*#A-Dw]{1,32}$', description: 'Keys for the other side to hear; w: half a second of nothing' }),
  }),
  /** Told by `audio_played` when all sound that the endpoint sent before it was heard. Only with `media`. */
  audio_mark: Output({
    type: Type.Literal('audio_mark'),
    session_id,
    turn,
    turn_token,
    name: Type.String({ minLength: 1, maxLength: 100 }),
  }),
  /** Sound of the endpoint that was not heard yet is not heard any more; answered by `audio_cleared`. Only with `media`. */
  audio_clear: Output({ type: Type.Literal('audio_clear'), session_id, turn, turn_token }),
  /** That is all for this turn. Nobody waits for more, so nothing is said meanwhile either. */
  done: Output({ type: Type.Literal('done'), session_id, turn, turn_token }),
  /** Kept in the timeline of the call. No answer: whoever waits for one goes on waiting. Also of turns that are long over. */
  note: Output({
    type: Type.Literal('note'),
    session_id,
    turn,
    turn_token,
    name: Type.String({ minLength: 1, maxLength: 40, description: 'What it is about, such as model or tool' }),
    data: Type.Optional(Type.Unknown({ description: 'Anything that is at most 16 KiB of JSON' })),
  }),
  /** What came of the call. Told again, what is told later counts. */
  result: Output({
    type: Type.Literal('result'),
    session_id,
    turn,
    turn_token,
    outcome: Type.Optional(Type.String({ maxLength: 60 })),
    summary: Type.Optional(Type.String({ maxLength: 4000 })),
    sentiment: Type.Optional(OneOf(sentiments)),
    fields: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'At most 16 KiB of JSON' })),
    next_steps: Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 })),
    problem: Type.Optional(Type.String({ maxLength: 500, description: 'Why something of it is missing' })),
  }),
}

export type ActionType = keyof typeof actions
/** As it is carried out, after `target_phone_number` and the like were made one. */
export type Action = { [T in ActionType]: Static<(typeof actions)[T]> }[ActionType]
export type ActionOf<T extends ActionType> = Extract<Action, { type: T }>
