import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Spoken } from './conversation.ts'
import type { RepliedEvent } from './endpoint/event-queue.ts'
import type { SavedEndpoint } from './endpoint/session-endpoint.ts'
import type { SavedDisclosure } from './write-end.ts'
import type { SavedTimeouts } from './session-timeouts.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { CollectedWrites } from '#core/kernel/work/write-behind.ts'

export const stateVersion = 1

/** The endpoint's recogniser settings, beyond the flow's. */
type Listening = Pick<ActionOf<'configure_transcription'>, 'provider' | 'languages' | 'custom_vocabulary' | 'vad' | 'turn_taking'> &
  Expectation
/** Expectation of the last speech. */
type Expectation = Pick<ActionOf<'speak'>, 'expects' | 'expects_digits' | 'expects_options' | 'stream_id'>

/** State for a takeover. Excludes background audio, which may be large. */
export interface SessionState extends SavedEndpoint {
  version: number
  /** Current speech. */
  speaks: Pick<Spoken, 'eventId' | 'text' | 'ssml' | 'startedAt'> | undefined
  listening: Listening | undefined
  /** Current language; undefined for the flow's. */
  language?: string | undefined
  timeouts: SavedTimeouts | undefined
  disclosure?: SavedDisclosure | undefined
  /** Actions pending after the current speech. */
  ends: { actions: readonly Action[]; replied: RepliedEvent } | undefined
  /** The endpoint collects what is not to be recorded. */
  pausesRecording?: boolean
}

/** Undefined if it is invalid or was written by another version. */
export const readState = (state: unknown): SessionState | undefined => {
  const read = state as Partial<SessionState> | undefined
  return read?.version === stateVersion && Array.isArray(read.open) ? (read as SessionState) : undefined
}

/** State for a session without a saved one; no session has this many events. */
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

/** A speech that ended with its process, heard at most until then. */
export const interrupted = (speaks: NonNullable<SessionState['speaks']>, aliveAt: number): Spoken => {
  const heardMs = Math.max(0, Math.round(aliveAt - speaks.startedAt))
  return { ...speaks, durationMs: heardMs, completed: false, heardMs, firstSoundMs: 0 }
}

/** An action's values apply until another action changes them. */
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

/** Later parts of a streamed speech need not repeat the expectation. */
const afterSpeech = (before: Listening | undefined, action: ActionOf<'speak'>): Listening | undefined => {
  const { expects, expects_digits, expects_options, stream_id, ...rest } = before ?? {}
  const goesOn = action.expects === undefined && action.stream_id !== undefined && action.stream_id === stream_id
  const after = {
    ...rest,
    ...(action.vad && { vad: action.vad }),
    ...expectationOf(goesOn ? { expects, expects_digits, expects_options, stream_id } : action),
  }
  return Object.keys(after).length > 0 ? after : undefined
}

const expectationOf = ({ expects, expects_digits, expects_options, stream_id }: Nullable<Expectation> = {}): Expectation => {
  if (!expects) return {}
  return {
    expects,
    ...(expects_digits !== undefined && { expects_digits }),
    ...(expects_options && { expects_options }),
    ...(stream_id !== undefined && { stream_id }),
  }
}

type Nullable<T> = { [K in keyof T]: T[K] | undefined }

interface SessionStatesDeps {
  store: Store
  clock: Clock
  owner: string
  onError: (error: unknown) => void
}

/** Saves the states of this process's sessions in batches and in the background. */
export class SessionStates {
  readonly #deps: SessionStatesDeps
  readonly #changed = new Map<string, () => SessionState>()
  readonly #writes: CollectedWrites

  constructor(deps: SessionStatesDeps) {
    this.#deps = deps
    this.#writes = new CollectedWrites({ clock: deps.clock, write: () => this.#write() })
  }

  changed(id: string, state: () => SessionState): void {
    this.#changed.set(id, state)
    this.#writes.schedule()
  }

  /** The session is over or was taken over. */
  forget(id: string): void {
    this.#changed.delete(id)
  }

  /** Resolves when all changes so far are saved or have failed. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  /** Discards unsaved changes. */
  async close(): Promise<void> {
    this.#changed.clear()
    await this.#writes.close()
  }

  /** A failed write is not retried; the next change writes a newer state. */
  async #write(): Promise<void> {
    const { store, owner, onError } = this.#deps
    const kept = [...this.#changed].map(([id, state]) => ({ id, state: state() }))
    this.#changed.clear()
    if (kept.length > 0) await store.write(({ sessions }) => sessions.keepStates(owner, kept)).catch(onError)
  }
}
