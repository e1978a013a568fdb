import { randomUUID } from 'node:crypto'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Concealed, NamedSession, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import { atMost } from '#core/kernel/work/waiting.ts'

/** Maximum queued events: an endpoint that far behind no longer takes part in the conversation. */
const maxQueued = 64

/**
 * Requests may overtake each other on the network: the first counts as arrived when it was replied to, or was sent this many milliseconds
 * earlier.
 */
const headStartMs = 100
const atOnceMs = 2

/** Event being replied to, and its caller turn. */
export interface RepliedEvent {
  eventId: string
  turn: number
}

/** Reason why a reply is no longer awaited. */
class Superseded extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Superseded'
  }
}

/** Created once: an error with a stack for each turn is expensive, and the stack is never read. */
const spokeAgain = new Superseded('the caller spoke again')
const over = new Superseded('the session is over')

/** Next event to send; `signal`: aborted when its reply is no longer awaited. */
export interface QueuedEvent {
  event: OutgoingEvent
  signal: AbortSignal
}

/**
 * Outgoing events of one session, numbered and sent in order. A new caller turn is a fence: replies to earlier events are no longer awaited, but
 * those events are still sent.
 */
export class EventQueue {
  readonly #clock: Clock
  readonly #session: NamedSession
  readonly #waiting: QueuedEvent[] = []
  #fence = new AbortController()
  #abandonedAt = 0
  #sequence = 0
  #turn = 0
  /** Last sent event. It must not be overtaken, even if its reply is no longer awaited. */
  #sent: { id: string; since: number | undefined; arrived: Promise<void>; arrive: () => void } | undefined
  /** Sent, but neither replied to nor given up. */
  #unconfirmed: OutgoingEvent | undefined
  #closed = false

  constructor(clock: Clock, session: NamedSession) {
    this.#clock = clock
    this.#session = session
  }

  /** Resumes after a takeover. Resends unanswered events unchanged. */
  resume({ sequence, turn, open }: { sequence: number; turn: number; open: readonly OutgoingEvent[] }): void {
    this.#sequence = sequence
    this.#turn = turn
    for (const event of open) this.#waiting.push({ event, signal: this.#fence.signal })
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Events not known to have arrived. */
  get open(): readonly OutgoingEvent[] {
    return [...(this.#unconfirmed ? [this.#unconfirmed] : []), ...this.#waiting.map(({ event }) => event)]
  }

  get turn(): number {
    return this.#turn
  }

  /** Id of the last sent event. */
  get latest(): string {
    return this.#sent?.id ?? ''
  }

  /**
   * `full`: the queue is longer than can be sent in time. `signal`: aborted when the reply is no longer awaited for a reason other than a new
   * turn.
   */
  put(body: AssistantEvent, signal = this.#fence.signal, concealed?: Concealed): 'queued' | 'full' | 'closed' {
    if (this.#closed) return 'closed'
    if (this.#waiting.length >= maxQueued) return 'full'
    this.#waiting.push({ event: this.number(body, concealed), signal })
    return 'queued'
  }

  /** Removes a queued event with this signal, so that it is never sent. Returns false if it was already sent. */
  withdraw(signal: AbortSignal): boolean {
    const place = this.#waiting.findIndex((event) => event.signal === signal)
    if (place < 0) return false
    this.#waiting.splice(place, 1)
    // Renumbers unsent events, so that endpoints see no gap.
    for (const later of this.#waiting.slice(place)) later.event = { ...later.event, sequence: later.event.sequence - 1 }
    this.#sequence -= 1
    return true
  }

  /** Updates queued events, of all turns or of one. */
  amend(change: (body: AssistantEvent) => AssistantEvent, turn?: number): void {
    for (const waiting of this.#waiting)
      if (turn === undefined || waiting.event.turn === turn) waiting.event = { ...waiting.event, body: change(waiting.event.body) }
  }

  /** Dequeues the event to send. */
  next(): QueuedEvent | undefined {
    const next = this.#waiting.shift()
    this.#unconfirmed = next?.event
    if (!next) return undefined
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    this.#sent = { id: next.event.id, since: next.signal.aborted ? undefined : this.#clock.now(), arrived, arrive }
    return next
  }

  /** The caller has spoken: replies to earlier turns are too late. */
  nextTurn(): void {
    this.#turn += 1
    this.#abandon(spokeAgain)
    this.#fence = new AbortController()
  }

  /** Accepts no more events and awaits no reply. */
  close(): void {
    this.#closed = true
    this.#abandon(over)
  }

  /** Drops queued and later events. */
  giveUp(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#sent?.arrive()
  }

  /** A late reply proves that its event has arrived. */
  arrived(id: string): void {
    if (this.#sent?.id === id) this.#sent.arrive()
  }

  /**
   * Resolves when the next event can no longer overtake the last one. The wait for its reply ends only once it is sent: if that took a while, it
   * was sent just now.
   */
  async letArrive(): Promise<void> {
    if (!this.#sent) return
    const { since, arrived } = this.#sent
    const now = this.#clock.now()
    const left = headStartMs - (since === undefined || now > this.#abandonedAt + atOnceMs ? 0 : now - since)
    if (left > 0) await atMost(this.#clock, left, arrived, undefined)
  }

  number(body: AssistantEvent, concealed?: Concealed): OutgoingEvent {
    const { id: sessionId, accountId, trace } = this.#session
    const about = { ...(trace && { trace }), ...(concealed && { concealed }) }
    return { id: randomUUID(), sessionId, accountId, sequence: ++this.#sequence, turn: this.#turn, ...about, body }
  }

  #abandon(because: Superseded): void {
    this.#abandonedAt = this.#clock.now()
    this.#fence.abort(because)
  }
}

/** Milliseconds to wait for a readable message after an unreadable one. */
const readableMs = 1_000

/** A session_start or caller turn that waits for an action from a WebSocket endpoint. */
export class AwaitedAnswer {
  readonly #clock: Clock
  readonly #failed: (event: OutgoingEvent, why: string) => void
  #event: OutgoingEvent | undefined
  #cancel: () => void = () => {}

  constructor(clock: Clock, failed: (event: OutgoingEvent, why: string) => void) {
    this.#clock = clock
    this.#failed = failed
  }

  /** Caller turn without an answer. */
  get turn(): OutgoingEvent | undefined {
    return this.#event?.body.type === 'user_speak' ? this.#event : undefined
  }

  sent(event: OutgoingEvent): void {
    if (event.body.type !== 'session_start' && event.body.type !== 'user_speak') return
    this.impatient()
    this.#event = event
  }

  came(): void {
    this.impatient()
    this.#event = undefined
  }

  /** Not every message is an answer: a readable one may still follow. */
  cameUnreadable(why: string): void {
    const event = this.#event
    this.impatient()
    if (!event) return
    this.#cancel = this.#clock.after(readableMs, () => {
      this.#event = undefined
      this.#failed(event, why)
    })
  }

  /** Stops waiting for it. */
  impatient(): void {
    this.#cancel()
  }
}
