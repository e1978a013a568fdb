import { setImmediate } from 'node:timers/promises'

/** How often the event loop turns between two timers, so that promise chains come to rest. */
const settlingTurns = 5

interface Timer {
  at: number
  order: number
  task: () => void
}

/** Time that only moves when a test says so. */
export class VirtualClock {
  readonly #timers = new Set<Timer>()
  #now: number
  #order = 0
  #advancing = false

  constructor(start = 0) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now
  }

  after(ms: number, task: () => void): () => void {
    if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** How many tasks still wait: a test that ends with some has a leak. */
  pending(): number {
    return this.#timers.size
  }

  /** Runs everything that falls due within `ms`, in order; also what those tasks (and their promises) schedule meanwhile. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('Time only moves forward')
    if (this.#advancing) throw new Error('The clock is already being advanced: await the first call')
    this.#advancing = true
    try {
      await this.#runUntil(this.#now + ms)
    } finally {
      this.#advancing = false
    }
  }

  async #runUntil(end: number): Promise<void> {
    await this.#settle()
    for (let timer = this.#nextDue(end); timer; timer = this.#nextDue(end)) {
      this.#timers.delete(timer)
      this.#now = timer.at
      timer.task()
      await this.#settle()
    }
    this.#now = end
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < settlingTurns; turn++) await setImmediate()
  }

  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at > end) continue
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer
    }
    return next
  }
}
