import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { ActionProblem } from '../store/assistant/deliveries.ts'
import type { Flow } from '../store/assistant/flows.ts'
import type { SpeechRate } from '../speech.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'

/** One event for an endpoint. */
export interface OutgoingEvent {
  /** The same for every attempt. */
  id: string
  sessionId: string
  accountId: string
  /** 1 for the first event of a session. */
  sequence: number
  turn: number
  /** Of the one who ordered the call. */
  trace?: IncomingTrace | undefined
  body: AssistantEvent
}

export interface EndpointReply {
  actions: readonly Action[]
  problems: readonly ActionProblem[]
  /** Why nothing of it can be done: it is no answer at all, or that to another session. Then it counts as failed. */
  refused?: string
}

/** What went over the wire in one attempt, to the byte. */
export interface Exchange {
  /** None for a listener that does not say. */
  url?: string
  request: Message
  response?: Message & { status?: number }
}

export interface Message {
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

/** The endpoint could not be reached: every attempt failed, or the breaker is open. The message has no address in it. */
export class EndpointUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EndpointUnavailable'
  }
}

/** There is no endpoint, or it said that it is gone for good. */
export class EndpointGone extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EndpointGone'
  }
}

/** Too many deliveries of this account are under way: nothing was tried. */
export class EndpointBusy extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EndpointBusy'
  }
}

/** Sound from an endpoint. */
export interface EndpointPiece {
  samples: Int16Array
  rate: SpeechRate
}

export interface EndpointChannelObserver {
  /** The endpoint sends sound, where its flow has `media`. */
  sounds(piece: EndpointPiece): void
  /** The endpoint sends actions on its own (WebSocket), or something that cannot be read. */
  acts(reply: EndpointReply): void
  /** A reply that is not waited for any more. It is in the delivery log already; its actions must not be performed. */
  repliedLate(event: OutgoingEvent, reply: EndpointReply): void
  /** Neither the endpoint nor a substitute can be reached any more. */
  lost(): void
}

/** The way to an endpoint for one session. */
export interface EndpointChannel {
  /** WebSocket: actions come by `acts`, not as the result of `send`. Becomes false when the webhook takes over. */
  readonly duplex: boolean
  /**
   * Resolves with the endpoint's reply. Rejects with EndpointUnavailable, or, when the signal is aborted, with its
   * reason: but only once the event is sent, so that none is lost or overtaken. A reply that comes after that is given to `repliedLate` and
   * recorded as superseded, not as failed. Call it for one event after the other.
   * While duplex it resolves at once with no actions: the event is queued, and stays so when the connection breaks.
   */
  send(event: OutgoingEvent, signal: AbortSignal): Promise<EndpointReply>
  /** What the caller says, at 8 kHz, where the flow has `media`. It is lost when the endpoint cannot be reached at this moment. */
  sendSound(samples: Int16Array<ArrayBuffer>): void
  /** Adds problems to an event in the delivery log: its reply came too late, or an action could not be performed. With an error it failed. */
  note(eventId: string, problems: readonly ActionProblem[], error?: string): void
  /**
   * The observer is not called any more. A WebSocket stays open for a while for the session_end, which comes from the outbox; `atOnce`: it was
   * told already, and nothing comes any more.
   */
  close(how?: { atOnce: boolean }): Promise<void>
}

/** A session as endpoints are told of it. */
export interface NamedSession {
  id: string
  accountId: string
  trace?: IncomingTrace | undefined
}

/** Which attempt of the outbox it is. */
export interface DeliveryTry {
  attempt: number
  /** After it the event is dead. */
  last: boolean
}

export interface Endpoints {
  open(flow: Flow, session: NamedSession, observer: EndpointChannelObserver): EndpointChannel
  /**
   * One attempt for an event that stands in the outbox. Throws when it has to be tried again, EndpointGone when that is pointless,
   * EndpointBusy when it did not come to an attempt.
   */
  deliver(flow: Flow, event: OutgoingEvent, which: DeliveryTry): Promise<void>
  /** Resolves when all attempts until now are in the delivery log. */
  flush(): Promise<void>
}
