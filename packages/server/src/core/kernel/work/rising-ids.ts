import { randomBytes } from 'node:crypto'
import type { Clock } from '../ports/platform.ts'

/** Ids that increase over time; the first twelve digits are the time. */
export class RisingIds {
  readonly #clock: Clock
  /** Distinguishes processes that create ids at the same moment. */
  readonly #ownName = randomBytes(7).toString('hex')
  #last = { at: 0, count: 0 }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  next(): string {
    const at = Math.max(this.#clock.now(), this.#last.at)
    const count = at === this.#last.at ? this.#last.count + 1 : 0
    this.#last = { at, count }
    return `${firstIdAt(at)}${count.toString(16).padStart(6, '0')}${this.#ownName}`
  }
}

/** Smaller than every id created at this time or later. */
export const firstIdAt = (at: number): string => at.toString(16).padStart(12, '0')
