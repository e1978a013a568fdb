import type { Request } from '../message/message.ts'
import { patience, resend, T1, T2 } from '../transaction/timers.ts'
import type { SipClock } from '../transport/transport.ts'

/** Repeats a 2xx to an INVITE until its ACK is there: RFC 3261 §13.3.1.4. */
export class Confirmation {
  /** The ACK; nothing when none came in time, or nobody waits any more. */
  readonly done: Promise<Request | undefined>
  readonly #resolve: (ack: Request | undefined) => void
  readonly #stopResending: () => void
  readonly #stopTimer: () => void

  constructor(clock: SipClock, send: () => void) {
    const { promise, resolve } = Promise.withResolvers<Request | undefined>()
    this.done = promise
    this.#resolve = resolve
    this.#stopResending = resend(clock, T1, T2, send)
    this.#stopTimer = clock.after(patience, () => this.settle(undefined))
  }

  settle(ack: Request | undefined): void {
    this.#stopResending()
    this.#stopTimer()
    this.#resolve(ack)
  }
}
