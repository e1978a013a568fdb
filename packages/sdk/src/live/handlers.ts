import type { EventType } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Answer, EventOf } from '../answering.ts'
import type { SpeechFields } from './speech-stream.ts'

/**
 * What a handler gives. Strings that follow each other are one speech, spoken while the rest of it comes. `flush` ends it: what follows is a speech of
 * its own, because a tool may take a while. `speech` holds for all strings after it. Anything else is an action.
 */
export type Piece = string | Answer | { flush: true } | { speech: SpeechFields }

export type LiveReply = Piece | readonly Piece[] | null | undefined | void

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

/** After a connection was lost: the service goes on with a call that is not known here, because another process had it. */
export interface ResumeEvent {
  type: 'session_resume'
  session: Session
  last_sequence: number
}

type Handler<Event, State> = (event: Event, turn: Turn<State>) => AsyncIterable<Piece> | Promise<LiveReply> | LiveReply

export type LiveHandlers<State> = { [T in EventType]?: Handler<EventOf<T>, State> } & {
  session_resume?: Handler<ResumeEvent, State>
  /** What the caller says, where the flow has `media`: 20 ms at a time, in its format. */
  audio?: (sound: Uint8Array, turn: Turn<State>) => void
}

/** As frames carry it. */
export type LiveEvent = (EventOf<EventType> | ResumeEvent) & { event_id?: string; sequence?: number; turn?: number; stream_id?: string }
