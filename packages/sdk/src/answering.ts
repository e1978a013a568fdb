import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'

/** An action without `session_id`; it goes to the call that the event came from. */
export type Answer = Action extends infer A ? (A extends Action ? Omit<A, 'session_id'> : never) : never

/** Actions: a string is spoken, several are executed in order, none is allowed. */
export type Reply = string | Answer | readonly (string | Answer)[] | null | undefined | void

export type EventOf<T extends EventType> = Extract<AssistantEvent, { type: T }>

/** Fields of a streamed speech other than its text. */
export type SpeechFields = Omit<ActionOf<'speak'>, 'type' | 'session_id' | 'turn' | 'turn_token' | 'text' | 'ssml' | 'stream_id' | 'last'>

/**
 * Output of a handler. Consecutive strings form one speech, spoken while the rest is produced. `flush` ends it, because a tool may take a
 * while; the next string starts a new speech. `speech` applies to all strings after it. Anything else is an action.
 */
export type Piece = string | Answer | { flush: true } | { speech: SpeechFields }

export interface Turn<State> {
  /** Aborted when the caller speaks again, the answer is too late, or the call ends. */
  readonly signal: AbortSignal
  readonly session: Session
  readonly turn: number
  /** One per call. */
  readonly state: State
  /** Ends the current speech; resolves when everything said in this call has been played or dropped. */
  spoken: () => Promise<void>
  /** Sends an action immediately, independent of the handler's output and even after an abort: notes, for instance. */
  send: (action: Answer) => void
  /** Audio for the caller if the flow has `media`: in its format, of any length. Lost while disconnected. */
  play: (sound: Uint8Array) => void
  /** The event `audio_played` reports when everything played before this mark was heard. */
  mark: (name: string) => void
  /** Discards played audio that was not heard yet; the event `audio_cleared` reports how much was heard. */
  clear: () => void
}

export const readEvent = (text: string): AssistantEvent | undefined => {
  try {
    const event = JSON.parse(text) as Partial<AssistantEvent> | null
    return typeof event?.type === 'string' && typeof event.session?.id === 'string' ? (event as AssistantEvent) : undefined
  } catch {
    return undefined
  }
}
