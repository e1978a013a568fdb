import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { ActionProblem } from '../store/assistant/deliveries.ts'
import type { Flow } from '../store/assistant/flows.ts'

/** One event on its way to the customer. */
export interface OutgoingEvent {
  /** The same for every attempt. */
  id: string
  sessionId: string
  accountId: string
  /** 1 for the first event of a session. */
  sequence: number
  turn: number
  body: AssistantEvent
}

export interface EndpointReply {
  actions: readonly Action[]
  problems: readonly ActionProblem[]
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

/** The customer could not be asked: every attempt failed, or the breaker is open. The message has no address in it. */
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

export interface EndpointChannelObserver {
  /** The customer sends actions without being asked (WebSocket). */
  acts(reply: EndpointReply): void
  /** A reply that is not waited for any more. It is in the delivery log already; its actions must not be performed. */
  repliedLate(event: OutgoingEvent, reply: EndpointReply): void
  /** It can neither be reached nor replaced any more. */
  lost(): void
}

/** Talks with a customer's endpoint about one session. */
export interface EndpointChannel {
  /** WebSocket: answers come over `acts`, not as a reply. Becomes false when the webhook takes over. */
  readonly duplex: boolean
  /**
   * Resolves with what the customer wants to be done. Rejects with EndpointUnavailable, or, when nobody waits any more, with the signal's
   * reason: but only once the event is on the wire, so that none is lost or overtaken. What is answered then is told by `repliedLate` and
   * recorded as superseded, not as failed. Call it for one event after the other.
   * While it is duplex it resolves at once with nothing to do: the event has its place in the line and keeps it when the connection breaks.
   */
  send(event: OutgoingEvent, signal: AbortSignal): Promise<EndpointReply>
  /** To the delivery log: an answer came too late, or an action could not be done. */
  note(eventId: string, problems: readonly ActionProblem[]): void
  /** Nothing more is told to the observer. A WebSocket stays open a while for the session_end, which comes from the outbox. */
  close(): Promise<void>
}

/** Which try of the outbox it is. */
export interface DeliveryTry {
  attempt: number
  /** After it the event is dead. */
  last: boolean
}

export interface Endpoints {
  open(flow: Flow, session: { id: string; accountId: string }, observer: EndpointChannelObserver): EndpointChannel
  /**
   * One attempt for an event that stands in the outbox. Throws when it has to be tried again, EndpointGone when that is pointless,
   * EndpointBusy when it did not come to an attempt.
   */
  deliver(flow: Flow, event: OutgoingEvent, which: DeliveryTry): Promise<void>
  /** What happened until now stands in the delivery log. */
  flush(): Promise<void>
}
