import type { Clock } from '#core/kernel/ports/clock.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'

export interface MessageRate {
  /** So many at once, */
  burst: number
  /** and then so many each second. */
  perSecond: number
}

/** How many messages each sender may write. */
export class MessageLimit {
  readonly #clock: Clock
  readonly #rate: MessageRate
  /** What each has left, and since when. */
  readonly #allowance = new BoundedMap<string, { left: number; at: number }>(10_000)

  constructor(clock: Clock, rate: MessageRate) {
    this.#clock = clock
    this.#rate = rate
  }

  /** Seconds until this one may write again; 0: this message may go. */
  waitOf(sender: string): number {
    const { burst, perSecond } = this.#rate
    const now = this.#clock.now()
    const { left, at } = this.#allowance.get(sender) ?? { left: burst, at: now }
    const filled = Math.min(burst, left + (Math.max(0, now - at) * perSecond) / 1000)
    if (filled < 1) return Math.ceil((1 - filled) / perSecond)
    this.#allowance.set(sender, { left: filled - 1, at: now })
    return 0
  }
}
