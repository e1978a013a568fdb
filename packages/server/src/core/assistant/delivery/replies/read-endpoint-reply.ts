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
import { JsonTooComplex, parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import type { ActionProblem } from '#core/kernel/ports/store/session.ts'
import type { EndpointReply } from '#core/kernel/ports/assistant.ts'
import { isSpeakable } from '#core/speech/ssml/is-speakable.ts'

interface ReadAction {
  action?: Action
  /** Type as written by the endpoint, if it can be a name. */
  type?: string
  problems: readonly string[]
  /** Addressed to another session. */
  foreign?: true
  /** A speech without anything to say. */
  unspeakable?: true
}

const noAction: ReadAction = { problems: [] }

/** Reads one element of a reply. A wrong field is dropped with a problem; only a wrong required field rejects the action. */
const readAction = (value: unknown, sessionId: string): ReadAction => {
  if (value === null || value === undefined) return noAction
  if (typeof value !== 'object' || Array.isArray(value)) return { problems: ['an action must be an object'] }
  const given = new Fields(value as Record<string, unknown>)
  const type = given.get('type')
  if (type === undefined) return given.get('error') === undefined ? noAction : { problems: ['the endpoint reports an error'] }
  if (typeof type !== 'string') return { problems: ['type must be a string'] }
  const name = type.slice(0, 40)
  if (!isActionType(type)) return { type: name, problems: ['type is no known action'] }
  const session = given.get('session_id')
  if (session !== undefined && session !== sessionId)
    return { type: name, problems: ['session_id is that of another session'], foreign: true }
  const read = readers[type](given)
  const token = given.text('turn_token', 100)
  // An action without a token runs immediately, so one with an invalid token is rejected.
  const isAstray = given.get('turn_token') !== undefined && token.turn_token === undefined
  const unspeakable = given.problems.includes(nothingToSay) && { unspeakable: true as const }
  if (!read || isAstray) return { type: name, problems: given.problems, ...unspeakable }
  return checked({ type, session_id: sessionId, ...given.turn(), ...token, ...read }, given.problems)
}

const isActionType = (type: string): type is ActionType => Object.hasOwn(actions, type)

/** The contract decides: an action it rejects is never returned, even if a reader accepts it. */
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

/** Fields other than type, session_id and turn. Undefined if the action is impossible or has no effect. */
type Reader = (given: Fields) => Record<string, unknown> | undefined

const speak: Reader = (given) => {
  const words = wordsOf(given)
  if (!words) return undefined
  const stream = given.text('stream_id', 100)
  if (given.get('stream_id') !== undefined && stream.stream_id === undefined) return undefined
  return {
    ...words,
    ...given.tts(),
    ...interruptionSettings(given),
    ...given.vad(),
    ...stream,
    ...given.flag('last'),
    ...given.choice('expects', expectations),
    ...given.number('expects_digits', 1, 30),
    ...given.texts('expects_options', { min: 1, most: 50, maxLength: 60 }),
    ...given.texts('prefetch', { min: 0, most: 5, maxLength: 200 }),
    ...given.flag('protect'),
  }
}

const nothingToSay = 'there is nothing in it that a voice can say'

const wordsOf = (given: Fields): Record<string, string> | undefined => {
  const { text } = given.text('text', 10_000)
  const { ssml } = given.text('ssml', 10_000)
  if (given.problems.length > 0) return undefined
  if (ssml !== undefined && ssml.trim() !== '') {
    if (text !== undefined && text.trim() !== '') given.note('text is not spoken, because there is ssml too')
    return isSpeakable(ssml) ? { ssml } : given.fatal(nothingToSay)
  }
  const isPart = given.get('stream_id') !== undefined
  if (text === undefined) return isPart ? { text: '' } : given.fatal('text or ssml is required')
  // Parts of a streamed speech are judged together; the last one may have no text.
  if (!isPart && !isSpeakable(text)) return given.fatal(nothingToSay)
  return /^\s*<speak[\s>]/i.test(text) ? { ssml: text } : { text }
}

/** Barge-in rule and maximum wait for the caller's answer. */
const interruptionSettings = (given: Fields) => ({
  ...given.bargeIn(),
  ...given.number('user_input_timeout_seconds', 0, 3600),
})

const audio: Reader = (given) => {
  const sound = given.text('audio', Infinity)
  if (!sound.audio) return given.fatal('audio is required')
  return { ...sound, ...interruptionSettings(given) }
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
    ...transferSettings(given),
    ...given.text('summary', 1000),
    ...given.flag('now'),
  }
}

/** Transfer mode and briefing for the target. */
const transferSettings = (given: Fields) => {
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

/** Missing fields are reset, so a wrong field must not count as missing. */
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

const recording: Reader = (given) => {
  const paused = given.get('paused')
  return typeof paused === 'boolean' ? { paused } : given.fatal('paused must be true or false')
}

const setVariables: Reader = (given) => {
  const read = given.variables()
  return given.problems.length > 0 ? undefined : read
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

/** Keeps every readable field. */
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
  recording,
  audio_mark: audioMark,
  audio_clear: () => ({}),
  done: () => ({}),
  set_variables: setVariables,
  note,
  result,
}

/** Maximum size of a decoded reply. */
export const maxReplyBytes = 4 * 1024 * 1024
/** Maximum size of a reply without its sounds. */
const maxWithoutSoundBytes = 64 * 1024
const maxActions = 16
/** Long strings are allowed because sounds are long strings. */
const limits = { maxLength: maxWithoutSoundBytes, maxValues: 5_000, longString: 1_000 }

const nothing: EndpointReply = { actions: [], problems: [] }

/** Reads the reply of an endpoint. Never throws, and never repeats its content in a problem. */
export const readEndpointReply = (bytes: Buffer, sessionId: string): EndpointReply => {
  if (bytes.length > maxReplyBytes) return refusedReply(`the answer is larger than ${maxReplyBytes} bytes`)
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return nothing
  if (bytes.length > maxWithoutSoundBytes && !text.includes('"audio"')) return tooLarge
  let value: unknown
  try {
    value = parseBoundedJson(text, limits)
  } catch (error) {
    if (error instanceof JsonTooComplex) return refusedReply(`the answer is not read: without its sounds ${error.message}`)
    return plainPhrase.test(text.trim()) ? noted : refusedReply('the answer is not JSON')
  }
  if (bytes.length - soundBytes(value) > maxWithoutSoundBytes) return tooLarge
  return readValue(value, sessionId)
}

/** Rejects the whole reply; `message` gives the reason. */
export const refusedReply = (message: string): EndpointReply => ({ actions: [], problems: [{ index: -1, message }], refused: message })

const tooLarge = refusedReply(`the answer is larger than ${maxWithoutSoundBytes} bytes without its sounds`)

/** Default bodies that frameworks write for a bare status code: no action follows. */
const plainPhrase = /^(ok|created|accepted|no content)$/i
const noted: EndpointReply = { actions: [], problems: [{ index: -1, message: 'the answer is not JSON' }] }

const readValue = (value: unknown, sessionId: string): EndpointReply => {
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  const actions: Action[] = []
  const problems: ActionProblem[] = []
  let foreign = 0
  let unspeakable = 0
  for (const [index, one] of list.slice(0, maxActions).entries()) {
    const read = readAction(one, sessionId)
    if (read.foreign) foreign++
    if (read.unspeakable) unspeakable++
    if (read.action) actions.push(read.action)
    for (const message of read.problems) problems.push({ index, ...(read.type !== undefined && { type: read.type }), message })
  }
  if (list.length > maxActions)
    problems.push({ index: maxActions, message: `only the first ${maxActions} of ${list.length} actions are done` })
  const isForeign = foreign > 0 && actions.length === 0
  const isSilent = unspeakable > 0 && !actions.some(({ type }) => noticed.includes(type))
  return {
    actions,
    problems,
    ...(isForeign && { refused: 'session_id is that of another session' }),
    ...(isSilent && { unspeakable: nothingToSay }),
  }
}

/** Actions that the caller notices: with one of them an answer is not silent. */
const noticed: readonly ActionType[] = ['speak', 'audio', 'mix_audio', 'hangup', 'transfer', 'send_dtmf']

/** Only sounds may be long; any other long value is a mistake or an attack. */
const soundBytes = (value: unknown): number => {
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  let bytes = 0
  for (const one of list.slice(0, maxActions)) {
    if (typeof one !== 'object' || one === null || !('audio' in one) || !('type' in one)) continue
    if ((one.type === 'audio' || one.type === 'mix_audio') && typeof one.audio === 'string') bytes += one.audio.length
  }
  return bytes
}
