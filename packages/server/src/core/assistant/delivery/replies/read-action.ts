import {
  actions,
  expectations,
  sentiments,
  transferModes,
  turnTakings,
  type Action,
  type ActionType,
} from '@offhook/contract/assistant/actions.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { Fields } from './fields.ts'

export interface ReadAction {
  action?: Action
  /** As the endpoint wrote it, if it can be a name at all. */
  type?: string
  problems: readonly string[]
  /** It is meant for another session. */
  foreign?: true
}

const nothing: ReadAction = { problems: [] }

/** One element of a reply. A wrong field is left out with a problem; only a required one makes the action fail. */
export const readAction = (value: unknown, sessionId: string): ReadAction => {
  if (value === null || value === undefined) return nothing
  if (typeof value !== 'object' || Array.isArray(value)) return { problems: ['an action must be an object'] }
  const given = new Fields(value as Record<string, unknown>)
  const type = given.get('type')
  if (type === undefined) return given.get('error') === undefined ? nothing : { problems: ['the endpoint reports an error'] }
  if (typeof type !== 'string') return { problems: ['type must be a string'] }
  const name = type.slice(0, 40)
  if (!isActionType(type)) return { type: name, problems: ['type is no known action'] }
  const session = given.get('session_id')
  if (session !== undefined && session !== sessionId)
    return { type: name, problems: ['session_id is that of another session'], foreign: true }
  const read = readers[type](given)
  const token = given.text('turn_token', 100)
  // What would be done at once without it is not done without it.
  const isAstray = given.get('turn_token') !== undefined && token.turn_token === undefined
  if (!read || isAstray) return { type: name, problems: given.problems }
  return checked({ type, session_id: sessionId, ...given.turn(), ...token, ...read }, given.problems)
}

const isActionType = (type: string): type is ActionType => Object.hasOwn(actions, type)

/** The contract decides: an action that it would refuse is never returned, whatever the readers let through. */
const checked = (action: Record<string, unknown> & { type: ActionType }, problems: readonly string[]): ReadAction => {
  const { type } = action
  try {
    return { action: checkers[type](action) as Action, type, problems }
  } catch (error) {
    return { type, problems: [...problems, error instanceof Problem ? error.message : 'the action is not valid'] }
  }
}

const checkers = Object.fromEntries(Object.entries(actions).map(([type, schema]) => [type, bodyChecker(schema)])) as Record<
  ActionType,
  (value: unknown) => unknown
>

/** The fields beside type, session_id and turn. Undefined: it cannot be done, or there is nothing to do. */
type Reader = (given: Fields) => Record<string, unknown> | undefined

const speak: Reader = (given) => {
  const words = wordsOf(given)
  if (!words) return undefined
  const stream = given.text('stream_id', 100)
  if (given.get('stream_id') !== undefined && stream.stream_id === undefined) return undefined
  return {
    ...words,
    ...given.tts(),
    ...prosodies(given),
    ...given.vad(),
    ...stream,
    ...given.flag('last'),
    ...given.choice('expects', expectations),
    ...given.number('expects_digits', 1, 30),
    ...given.texts('prefetch', { min: 0, most: 5, maxLength: 200 }),
    ...given.flag('protect'),
  }
}

const wordsOf = (given: Fields): Record<string, string> | undefined => {
  const { text } = given.text('text', 10_000)
  const { ssml } = given.text('ssml', 10_000)
  if (given.problems.length > 0) return undefined
  if (ssml !== undefined && ssml.trim() !== '') {
    if (text !== undefined && text.trim() !== '') given.note('text is not spoken, because there is ssml too')
    return { ssml }
  }
  // The end of a streamed speech may come without words.
  if (text === undefined || (text.trim() === '' && given.get('stream_id') === undefined))
    return given.get('stream_id') === undefined ? given.fatal('text or ssml is required') : { text: '' }
  return /^\s*<speak[\s>]/i.test(text) ? { ssml: text } : { text }
}

/** How the caller may interrupt, and how long the caller's answer is waited for. */
const prosodies = (given: Fields) => ({
  ...given.bargeIn(),
  ...given.number('user_input_timeout_seconds', 0, 3600),
})

const audio: Reader = (given) => {
  const sound = given.text('audio', Infinity)
  if (!sound.audio) return given.fatal('audio is required')
  return { ...sound, ...prosodies(given) }
}

const transfer: Reader = (given) => {
  const target = given.get('target') ?? given.get('target_phone_number')
  const text = typeof target === 'number' ? String(target) : target
  if (typeof text !== 'string' || text.trim() === '') return given.fatal('target is required')
  if (text.length > 100) return given.fatal('target is too long')
  return {
    target: text.trim(),
    ...given.text('caller_id_name', 100),
    ...given.text('caller_id_number', 40),
    ...prosody(given),
    ...given.flag('now'),
  }
}

/** Whether the target is asked first, and what it is told. */
const prosody = (given: Fields) => {
  const mode = given.choice('mode', transferModes)
  const { briefing = '' } = given.text('briefing', 1000)
  if (briefing.trim() === '') return mode
  if (mode.mode === 'warm') return { ...mode, briefing }
  given.note('briefing is said only with mode warm')
  return mode
}

const mixAudio: Reader = (given) => {
  const stop = given.flag('stop')
  const sound = given.text('audio', Infinity)
  if (stop.stop !== true && !sound.audio) return given.fatal('audio is required unless stop is true')
  return { ...sound, ...given.number('volume', 0, 1), ...stop }
}

/** Fields that are left out are reset, so a wrong field must not be treated as left out. */
const configureTranscription: Reader = (given) => {
  const input = {
    ...given.provider(),
    ...given.texts('languages', { min: 1, most: 4, maxLength: 20 }),
    ...given.texts('custom_vocabulary', { min: 0, most: 100, maxLength: 200 }),
  }
  if (given.problems.length > 0) return undefined
  const all = { ...input, ...given.vad(), ...given.choice('turn_taking', turnTakings) }
  return Object.keys(all).length === 0 ? undefined : all
}

const sendDtmf: Reader = (given) => {
  const digits = given.get('digits')
  if (typeof digits === 'string' && /^[0-9*#A-Dw]{1,32}$/.test(digits)) return { digits }
  return given.fatal('digits must be 1 to 32 keys (0-9, *, #, A-D), with w for half a second of nothing')
}

const audioMark: Reader = (given) => {
  const { name = '' } = given.text('name', 100)
  if (given.problems.length > 0) return undefined
  return name === '' ? given.fatal('name is required') : { name }
}

const note: Reader = (given) => {
  const { name = '' } = given.text('name', 40)
  if (given.problems.length > 0) return undefined
  if (name === '') return given.fatal('name is required')
  const data = given.json('data')
  return given.problems.length > 0 ? undefined : { name, ...data }
}

/** What can be read of it is worth keeping. */
const result: Reader = (given) => ({
  ...given.text('outcome', 60),
  ...given.text('summary', 4000),
  ...given.choice('sentiment', sentiments),
  ...given.record('fields'),
  ...given.texts('next_steps', { min: 0, most: 20, maxLength: 500 }),
  ...given.text('problem', 500),
})

const readers: Record<ActionType, Reader> = {
  speak,
  audio,
  transfer,
  hangup: (given) => given.flag('now'),
  barge_in: () => ({}),
  mix_audio: mixAudio,
  configure_transcription: configureTranscription,
  send_dtmf: sendDtmf,
  audio_mark: audioMark,
  audio_clear: () => ({}),
  done: () => ({}),
  note,
  result,
}
