import type { Request } from '../message/message.ts'
import { transactionTimeout, resend, T1, T2 } from '../transaction/timers.ts'
import type { SipClock } from '../transport/transport.ts'

/** Repeats a 2xx to an INVITE until its ACK is there: RFC 3261 §13.3.1.4. */
class Confirmation {
  /** The ACK; nothing when none came in time or it is not waited for any more. */
  readonly done: Promise<Request | undefined>
  readonly #resolve: (ack: Request | undefined) => void
  readonly #stopResending: () => void
  readonly #stopTimer: () => void

  constructor(clock: SipClock, send: () => void) {
    const { promise, resolve } = Promise.withResolvers<Request | undefined>()
    this.done = promise
    this.#resolve = resolve
    this.#stopResending = resend(clock, T1, T2, send)
    this.#stopTimer = clock.after(transactionTimeout, () => this.settle(undefined))
  }

  settle(ack: Request | undefined): void {
    this.#stopResending()
    this.#stopTimer()
    this.#resolve(ack)
  }
}

/** Every 2xx of ours that waits for its ACK, by the number of its INVITE. */
export class Confirmations {
  readonly #clock: SipClock
  readonly #waiting = new Map<number, Confirmation>()

  constructor(clock: SipClock) {
    this.#clock = clock
  }

  /** The 2xx is out: `send` repeats it. Resolves with the ACK; with nothing when none came in time, or none will. */
  expect(invite: Request, send: () => void): Promise<Request | undefined> {
    const confirmation = new Confirmation(this.#clock, send)
    this.#waiting.set(invite.cseq.number, confirmation)
    return confirmation.done
  }

  acknowledged(ack: Request): void {
    const { number } = ack.cseq
    this.#waiting.get(number)?.settle(ack)
    this.#waiting.delete(number)
  }

  /** No ACK will come any more. */
  stop(): void {
    for (const confirmation of this.#waiting.values()) confirmation.settle(undefined)
    this.#waiting.clear()
  }
}
