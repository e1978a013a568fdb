import { randomUUID } from 'node:crypto'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { NamedSession, OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import { atMost } from '#core/kernel/work/at-most.ts'

/** Limit of waiting events: an endpoint that is that far behind does not take part in the conversation any more. */
const maxQueued = 64

/** Requests may overtake each other on the network: the first has arrived when it was replied to, or when it was sent this much earlier. */
const headStartMs = 100
const atOnceMs = 2

/** Which event is replied to, and which turn of the caller. */
export interface RepliedEvent {
  eventId: string
  turn: number
}

/** Why a reply is not waited for any more. */
class Superseded extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Superseded'
  }
}

/** Made once: an error with a stack for each turn costs much, and nobody reads it. */
const spokeAgain = new Superseded('the caller spoke again')
const over = new Superseded('the session is over')

/** The next event to send; `signal`: its reply is not waited for any more. */
export interface QueuedEvent {
  event: OutgoingEvent
  signal: AbortSignal
}

/**
 * The events of one session that its endpoint is to receive: one after the other, numbered and in order. A new turn of the caller is
 * a fence: replies to earlier events are not waited for, but those events are still sent.
 */
export class EventQueue {
  readonly #clock: Clock
  readonly #session: NamedSession
  readonly #waiting: QueuedEvent[] = []
  #fence = new AbortController()
  #abandonedAt = 0
  #sequence = 0
  #turn = 0
  /** The event that was sent last; it must not be overtaken, even when its reply is not waited for any more. */
  #sent: { id: string; since: number | undefined; arrived: Promise<void>; arrive: () => void } | undefined
  /** Sent, and neither replied to nor given up. */
  #unconfirmed: OutgoingEvent | undefined
  #closed = false

  constructor(clock: Clock, session: NamedSession) {
    this.#clock = clock
    this.#session = session
  }

  /** Goes on where another process was. What it did not get a reply to is sent again, as it was. */
  resume({ sequence, turn, open }: { sequence: number; turn: number; open: readonly OutgoingEvent[] }): void {
    this.#sequence = sequence
    this.#turn = turn
    for (const event of open) this.#waiting.push({ event, signal: this.#fence.signal })
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Not known to have arrived. */
  get open(): readonly OutgoingEvent[] {
    return [...(this.#unconfirmed ? [this.#unconfirmed] : []), ...this.#waiting.map(({ event }) => event)]
  }

  get turn(): number {
    return this.#turn
  }

  /** The id of the event that was sent last. */
  get latest(): string {
    return this.#sent?.id ?? ''
  }

  /** `full`: more events wait than can be sent in time. `signal`: its reply is not waited for any more, if not because of a new turn. */
  put(body: AssistantEvent, signal = this.#fence.signal): 'queued' | 'full' | 'closed' {
    if (this.#closed) return 'closed'
    if (this.#waiting.length >= maxQueued) return 'full'
    this.#waiting.push({ event: this.number(body), signal })
    return 'queued'
  }

  /** Whether an event with this signal still waits: then it is not sent at all. */
  withdraw(signal: AbortSignal): boolean {
    const place = this.#waiting.findIndex((event) => event.signal === signal)
    if (place < 0) return false
    this.#waiting.splice(place, 1)
    // Endpoints see no gap: none of those that follow was sent.
    for (const later of this.#waiting.slice(place)) later.event = { ...later.event, sequence: later.event.sequence - 1 }
    this.#sequence -= 1
    return true
  }

  /** More is known about what the events of a turn tell, of those that still wait. */
  amend(turn: number, change: (body: AssistantEvent) => AssistantEvent): void {
    for (const waiting of this.#waiting)
      if (waiting.event.turn === turn) waiting.event = { ...waiting.event, body: change(waiting.event.body) }
  }

  /** The event that is sent now. */
  next(): QueuedEvent | undefined {
    const next = this.#waiting.shift()
    this.#unconfirmed = next?.event
    if (!next) return undefined
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    this.#sent = { id: next.event.id, since: next.signal.aborted ? undefined : this.#clock.now(), arrived, arrive }
    return next
  }

  /** The caller has spoken: replies to earlier turns come too late. */
  nextTurn(): void {
    this.#turn += 1
    this.#abandon(spokeAgain)
    this.#fence = new AbortController()
  }

  /** No events are added any more, and no reply is waited for. */
  close(): void {
    this.#closed = true
    this.#abandon(over)
  }

  /** Drops what still waits, and what comes later. */
  giveUp(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#sent?.arrive()
  }

  /** A reply that came too late proves that its event has arrived. */
  arrived(id: string): void {
    if (this.#sent?.id === id) this.#sent.arrive()
  }

  /**
   * Resolves when the next event cannot overtake the last one any more. The wait for its reply ends only once it is sent: if that took a
   * while, it was sent just now.
   */
  async letArrive(): Promise<void> {
    if (!this.#sent) return
    const { since, arrived } = this.#sent
    const now = this.#clock.now()
    const left = headStartMs - (since === undefined || now > this.#abandonedAt + atOnceMs ? 0 : now - since)
    if (left > 0) await atMost(this.#clock, left, arrived, undefined)
  }

  number(body: AssistantEvent): OutgoingEvent {
    const { id: sessionId, accountId, trace } = this.#session
    return { id: randomUUID(), sessionId, accountId, sequence: ++this.#sequence, turn: this.#turn, ...(trace && { trace }), body }
  }

  #abandon(because: Superseded): void {
    this.#abandonedAt = this.#clock.now()
    this.#fence.abort(because)
  }
}
