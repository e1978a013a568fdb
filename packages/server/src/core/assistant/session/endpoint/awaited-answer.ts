import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'

/** After a message that cannot be read: how long one that can be read is waited for. */
const timeoutMs = 1_000

/** The beginning of a session, or a turn of the caller, until the endpoint of a WebSocket does something. */
export class AwaitedAnswer {
  readonly #clock: Clock
  readonly #failed: (event: OutgoingEvent, why: string) => void
  #event: OutgoingEvent | undefined
  #cancel: () => void = () => {}

  constructor(clock: Clock, failed: (event: OutgoingEvent, why: string) => void) {
    this.#clock = clock
    this.#failed = failed
  }

  /** A turn of the caller without an answer. */
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

  /** Not every message is an answer: the one that can be read may still follow. */
  cameUnreadable(why: string): void {
    const event = this.#event
    this.impatient()
    if (!event) return
    this.#cancel = this.#clock.after(timeoutMs, () => {
      this.#event = undefined
      this.#failed(event, why)
    })
  }

  /** It does not matter any more whether it comes. */
  impatient(): void {
    this.#cancel()
  }
}
