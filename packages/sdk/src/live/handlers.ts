import type { EventType } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { EventOf, Piece, Turn } from '../answering.ts'

export type LiveReply = Piece | readonly Piece[] | null | undefined | void

/** After a reconnect: the service continues a call that is unknown here, because another process had it. */
export interface ResumeEvent {
  type: 'session_resume'
  session: Session
  last_sequence: number
}

type Handler<Event, State> = (event: Event, turn: Turn<State>) => AsyncIterable<Piece> | Promise<LiveReply> | LiveReply

export type LiveHandlers<State> = { [T in EventType]?: Handler<EventOf<T>, State> } & {
  session_resume?: Handler<ResumeEvent, State>
  /** Caller audio if the flow has `media`: 20 ms at a time, in its format. */
  audio?: (sound: Uint8Array, turn: Turn<State>) => void
}

/** An event with the fields of its frame. */
export type LiveEvent = (EventOf<EventType> | ResumeEvent) & { event_id?: string; sequence?: number; turn?: number; stream_id?: string }
