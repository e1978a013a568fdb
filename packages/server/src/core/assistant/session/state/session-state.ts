import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Spoken } from '../conversation/conversation.ts'
import type { RepliedEvent } from '../endpoint/event-queue.ts'
import type { SavedEndpoint } from '../endpoint/session-endpoint.ts'
import type { SavedDisclosure } from '../disclosure.ts'
import type { SavedTimeouts } from '../session-timeouts.ts'

export const stateVersion = 1

/** What an endpoint wants of the recogniser, beyond the flow's settings. */
type Listening = Pick<ActionOf<'configure_transcription'>, 'provider' | 'languages' | 'custom_vocabulary' | 'vad' | 'turn_taking'> &
  Expectation
/** What the last speech asked for. */
type Expectation = Pick<ActionOf<'speak'>, 'expects' | 'expects_digits' | 'stream_id'>

/** How another process can go on with a session. What sounds in the background is not in it: it may be large. */
export interface SessionState extends SavedEndpoint {
  version: number
  /** What is being said. */
  speaks: Pick<Spoken, 'eventId' | 'text' | 'ssml' | 'startedAt'> | undefined
  listening: Listening | undefined
  /** The one in force; undefined: the flow's. */
  language?: string | undefined
  timeouts: SavedTimeouts | undefined
  disclosure?: SavedDisclosure | undefined
  /** What the endpoint wants after that. */
  ends: { actions: readonly Action[]; replied: RepliedEvent } | undefined
}

/** Undefined when it makes no sense, or another version has written it. */
export const readState = (state: unknown): SessionState | undefined => {
  const read = state as Partial<SessionState> | undefined
  return read?.version === stateVersion && Array.isArray(read.open) ? (read as SessionState) : undefined
}

/** Of a session of which nothing was noted: no session has so many events. */
export const unnoted = (startedAt: number, at: number): SessionState => {
  const max = Math.ceil(Math.max(at - startedAt, 0) / 10) + 1
  return {
    version: stateVersion,
    sequence: max,
    turn: max,
    latest: '',
    open: [],
    speaks: undefined,
    listening: undefined,
    timeouts: undefined,
    ends: undefined,
  }
}

/** A speech that ended with its process. It was heard at most until then. */
export const interrupted = (speaks: NonNullable<SessionState['speaks']>, aliveAt: number): Spoken => {
  const heardMs = Math.max(0, Math.round(aliveAt - speaks.startedAt))
  return { ...speaks, durationMs: heardMs, completed: false, heardMs, firstSoundMs: 0 }
}

/** What an action changes stays as it is until another one changes it. */
export const listeningAfter = (before: Listening | undefined, action: Action): Listening | undefined => {
  if (action.type !== 'configure_transcription' && action.type !== 'speak') return before
  if (action.type === 'speak') return afterSpeech(before, action)
  const { provider = before?.provider, custom_vocabulary = before?.custom_vocabulary, vad = before?.vad, languages } = action
  const { turn_taking = before?.turn_taking } = action
  return {
    ...expectationOf(before),
    ...(provider !== undefined && { provider }),
    ...(languages !== undefined && { languages }),
    ...(custom_vocabulary !== undefined && { custom_vocabulary }),
    ...(vad !== undefined && { vad }),
    ...(turn_taking !== undefined && { turn_taking }),
  }
}

/** Later pieces of a speech that streams need not say again what is expected. */
const afterSpeech = (before: Listening | undefined, action: ActionOf<'speak'>): Listening | undefined => {
  const { expects, expects_digits, stream_id, ...rest } = before ?? {}
  const goesOn = action.expects === undefined && action.stream_id !== undefined && action.stream_id === stream_id
  const after = {
    ...rest,
    ...(action.vad && { vad: action.vad }),
    ...expectationOf(goesOn ? { expects, expects_digits, stream_id } : action),
  }
  return Object.keys(after).length > 0 ? after : undefined
}

const expectationOf = ({ expects, expects_digits, stream_id }: Nullable<Expectation> = {}): Expectation =>
  expects ? { expects, ...(expects_digits !== undefined && { expects_digits }), ...(stream_id !== undefined && { stream_id }) } : {}

type Nullable<T> = { [K in keyof T]: T[K] | undefined }
