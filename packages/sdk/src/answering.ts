import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'

/** An action without `session_id`, which goes to the call that the event came from. */
export type Answer = Action extends infer A ? (A extends Action ? Omit<A, 'session_id'> : never) : never

/** Actions: a string is spoken, several are carried out in order; none is fine, too. */
export type Reply = string | Answer | readonly (string | Answer)[] | null | undefined | void

export type EventOf<T extends EventType> = Extract<AssistantEvent, { type: T }>

/** What a streamed speech may have beside its words. */
export type SpeechFields = Omit<ActionOf<'speak'>, 'type' | 'session_id' | 'turn' | 'turn_token' | 'text' | 'ssml' | 'stream_id' | 'last'>

/**
 * What a handler gives. Strings that follow each other are one speech, spoken while the rest of it comes. `flush` ends it: what follows is a speech of
 * its own, because a tool may take a while. `speech` holds for all strings after it. Anything else is an action.
 */
export type Piece = string | Answer | { flush: true } | { speech: SpeechFields }

export interface Turn<State> {
  /** Aborted as soon as the caller speaks again, the answer comes too late, or the call is over. */
  readonly signal: AbortSignal
  readonly session: Session
  readonly turn: number
  /** One for each call. */
  readonly state: State
  /** Ends the speech so far; resolves when everything has sounded that was said in this call, or will not any more. */
  spoken: () => Promise<void>
  /** Sends an action at once, beside what the handler gives, and also when it was aborted: notes, for instance. */
  send: (action: Answer) => void
  /** Sound for the caller, where the flow has `media`: in its format, of any length. Lost while there is no connection. */
  play: (sound: Uint8Array) => void
  /** The event `audio_played` tells when everything that was played before was heard. */
  mark: (name: string) => void
  /** What was played and not heard yet is not heard; the event `audio_cleared` tells how much was. */
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
