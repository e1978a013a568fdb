import { randomUUID } from 'node:crypto'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Answer, Conversation, OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import { atMost } from '#core/kernel/work/at-most.ts'

/** So many events wait at most: an endpoint that is that far behind does not take part in the conversation any more. */
const mostWaiting = 64

/** Two requests may take different ways: the first has arrived before the second when it was answered, or when it began so much earlier. */
const headStartMs = 100
const atOnceMs = 2

/** Which event is answered, and which turn of the caller. */
export interface Answered {
  eventId: string
  turn: number
}

/** Why nobody waits for an answer any more. */
export class Superseded extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Superseded'
  }
}

export interface EventLineObserver {
  sending(event: OutgoingEvent): void
  answered(event: OutgoingEvent, answer: Answer): void
  /** The customer could not be asked; `superseded`: nobody waits for it any more. */
  failed(event: OutgoingEvent, error: unknown, superseded: boolean): void
  /** More waits than can ever be told in time. */
  overrun(): void
}

interface Waiting {
  event: OutgoingEvent
  signal: AbortSignal
}

export interface EventLineParts {
  clock: Clock
  conversation: Conversation
  session: { id: string; accountId: string }
  observer: EventLineObserver
}

/**
 * Tells a customer's endpoint what happens in one session: one event after the other, numbered and in order. A new turn of the caller is
 * a fence: nobody waits for answers to what was told before, but it is still told.
 */
export class EventLine {
  readonly #parts: EventLineParts
  readonly #waiting: Waiting[] = []
  #fence = new AbortController()
  #abandonedAt = 0
  #sequence = 0
  #turn = 0
  #latest = ''
  #sending: Promise<void> | undefined
  /** The event that was sent last; it must not be overtaken, even when nobody waits for its answer any more. */
  #ahead: { id: string; arrived: () => void } | undefined
  #closed = false

  constructor(parts: EventLineParts) {
    this.#parts = parts
  }

  get turn(): number {
    return this.#turn
  }

  /** The id of the event that was told last. */
  get latest(): string {
    return this.#latest
  }

  put(body: AssistantEvent): void {
    if (this.#closed) return
    if (this.#waiting.length >= mostWaiting) return this.#parts.observer.overrun()
    this.#waiting.push({ event: this.#number(body), signal: this.#fence.signal })
    this.#sending ??= this.#sendAll()
  }

  /** The caller said something: what answers the turns before is too late. */
  nextTurn(): void {
    this.#turn += 1
    this.#abandon('the caller spoke again')
    this.#fence = new AbortController()
  }

  /** Nothing is put any more, and no answer is waited for. Resolves when everything was told, or could not be. */
  async finish(): Promise<void> {
    this.#closed = true
    this.#abandon('the session is over')
    await this.#sending
  }

  /** What still waits, or comes later, is not told any more. */
  giveUp(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#ahead?.arrived()
  }

  /** An answer that came too late shows that the event has come in time. */
  arrived(id: string): void {
    if (this.#ahead?.id === id) this.#ahead.arrived()
  }

  /** The last event, which goes another way. */
  last(body: AssistantEvent): OutgoingEvent {
    return this.#number(body)
  }

  #abandon(because: string): void {
    this.#abandonedAt = this.#parts.clock.now()
    this.#fence.abort(new Superseded(because))
  }

  #number(body: AssistantEvent): OutgoingEvent {
    const { id: sessionId, accountId } = this.#parts.session
    return { id: randomUUID(), sessionId, accountId, sequence: ++this.#sequence, turn: this.#turn, body }
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#send(next)
    this.#sending = undefined
  }

  async #send({ event, signal }: Waiting): Promise<void> {
    const { clock, conversation, observer } = this.#parts
    const since = signal.aborted ? undefined : clock.now()
    const { promise: arrived, resolve } = Promise.withResolvers<void>()
    this.#ahead = { id: event.id, arrived: resolve }
    this.#latest = event.id
    observer.sending(event)
    let answer: Answer
    try {
      answer = await conversation.send(event, signal)
    } catch (error) {
      if (error !== signal.reason) return observer.failed(event, error, signal.aborted)
      return this.#letArrive(arrived, since)
    }
    observer.answered(event, answer)
  }

  /** Who could not leave at once had to wait for the event to be on its way: that was just now. */
  async #letArrive(arrived: Promise<void>, since: number | undefined): Promise<void> {
    const { clock } = this.#parts
    const now = clock.now()
    const left = headStartMs - (since === undefined || now > this.#abandonedAt + atOnceMs ? 0 : now - since)
    if (left > 0) await atMost(clock, left, arrived, undefined)
  }
}
