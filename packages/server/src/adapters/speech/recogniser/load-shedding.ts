/** Turns notice when they wait longer. */
const overloadMs = 150
/** For this long nothing must have waited before the better model is used again: otherwise it would change with every sentence. */
const cooldownMs = 10_000

/** Whether there is so much to do that the quicker model has to write. Times are those of one clock, in milliseconds. */
export class LoadShedding {
  readonly #now: () => number
  readonly #changed: (active: boolean) => void
  #active = false
  /** When a question last had to wait. */
  #waitedAt = 0

  constructor(now: () => number, changed: (active: boolean) => void) {
    this.#now = now
    this.#changed = changed
  }

  /** A question that was asked then is about to be answered. */
  begins(askedAt: number): void {
    if (this.#now() - askedAt <= overloadMs) return
    this.#waitedAt = this.#now()
    this.#become(true)
  }

  /** There is no free thread for a question. */
  waits(): void {
    this.#waitedAt = this.#now()
  }

  get active(): boolean {
    if (this.#active && this.#now() - this.#waitedAt >= cooldownMs) this.#become(false)
    return this.#active
  }

  #become(active: boolean): void {
    if (this.#active === active) return
    this.#active = active
    this.#changed(active)
  }
}
