import { Type, type Static } from 'typebox'
import { OneOf, Output } from '../values.ts'
import { VariableChanges } from './variables.ts'

export const bargeInStrategies = ['none', 'manual', 'minimum_characters', 'immediate', 'words'] as const

export const BargeIn = Output({
  strategy: Type.Optional(OneOf(bargeInStrategies)),
  minimum_characters: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 3 })),
  allow_after_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 })),
})

/** Ignored if out of range; the rest of the action is executed. */
export const VadWish = Output({ end_of_turn_silence_ms: Type.Optional(Type.Integer({ minimum: 150, maximum: 2000 })) })

/**
 * Pace of callers: from a menu with short answers to a number that is read out. `classic`: the silence set by the flow, adjusted only by
 * the words, as before end-of-turn probabilities.
 */
export const turnTakings = ['quick', 'normal', 'patient', 'dictation', 'classic'] as const

/** Expected kind of the caller's next answer. */
export const expectations = ['anything', 'yes_no', 'options', 'digits', 'name', 'address', 'long'] as const

/** `blind`: the caller hears ringback. `warm`: the caller hears music; the target hears an announcement and accepts first. */
export const transferModes = ['blind', 'warm'] as const

/** Mood of the caller as judged by the endpoint. */
export const sentiments = ['positive', 'neutral', 'negative', 'unknown'] as const

/** Maximum bytes of `data` and `fields`, as JSON. */
export const mostNoteBytes = 16 * 1024
/** Maximum number of `note` and `result` actions per call. */
export const mostNotes = 500

/** The voice to use. An unknown provider or voice falls back to the flow's voice and never silences the assistant. */
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
/** WebSocket: the answered turn; default: the newest. */
const turn = Type.Optional(Type.Integer({ minimum: 0 }))
/** Token of the answered user_speak_preview event: held back until the turn ends, and discarded if the caller continues. */
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
    expects_options: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        minItems: 1,
        maxItems: 50,
        description: 'With expects options: the answers to choose from. Words that sound like one of them are heard as it',
      }),
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
    target: Type.String({ description: 'A number, an extension, or the id of a flow. Also accepted as target_phone_number' }),
    caller_id_name: Type.Optional(Type.String({ maxLength: 100 })),
    caller_id_number: Type.Optional(Type.String({ maxLength: 40 })),
    mode: Type.Optional(OneOf(transferModes)),
    briefing: Type.Optional(Type.String({ maxLength: 1000, description: 'With mode warm: what the target hears before it accepts' })),
    summary: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Where another assistant of the account takes the call: what it should know' }),
    ),
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
  /** For digits of a card: meanwhile the recording holds silence, and neither keys nor words of the caller are kept. Counts in every turn. */
  recording: Output({
    type: Type.Literal('recording'),
    session_id,
    turn,
    turn_token,
    paused: Type.Boolean({ description: 'False: resume. The end of the session resumes it, too' }),
  }),
  /** Reported by `audio_played` when all audio sent before it was heard. Only with `media`. */
  audio_mark: Output({
    type: Type.Literal('audio_mark'),
    session_id,
    turn,
    turn_token,
    name: Type.String({ minLength: 1, maxLength: 100 }),
  }),
  /** Discards audio of the endpoint that was not heard yet; answered by `audio_cleared`. Only with `media`. */
  audio_clear: Output({ type: Type.Literal('audio_clear'), session_id, turn, turn_token }),
  /** Ends the answer of this turn: no more is expected, and no filler phrase is played. */
  done: Output({ type: Type.Literal('done'), session_id, turn, turn_token }),
  /** Changes the variables of the call, from the next event on: usually in the answer to session_start. Not an answer to the caller. */
  set_variables: Output({ type: Type.Literal('set_variables'), session_id, turn, turn_token, variables: VariableChanges }),
  /** Kept in the timeline of the call. Not an answer: the caller keeps waiting for one. Also accepted for past turns. */
  note: Output({
    type: Type.Literal('note'),
    session_id,
    turn,
    turn_token,
    name: Type.String({ minLength: 1, maxLength: 40, description: 'What it is about, such as model or tool' }),
    data: Type.Optional(Type.Unknown({ description: 'Anything that is at most 16 KiB of JSON' })),
  }),
  /** Result of the call. If sent again, the latest counts. */
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
/** The normalized action, after merging `target_phone_number` and similar aliases. */
export type Action = { [T in ActionType]: Static<(typeof actions)[T]> }[ActionType]
export type ActionOf<T extends ActionType> = Extract<Action, { type: T }>
