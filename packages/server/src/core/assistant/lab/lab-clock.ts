import type { Clock } from '#core/kernel/ports/clock.ts'

interface Timer {
  at: number
  task: () => void
}

/** The time of a recording: it stands still while anything is found out, and passes as fast as somebody listens. */
export class LabClock implements Clock {
  readonly #settle: () => Promise<void>
  readonly #timers = new Set<Timer>()
  #now = 0

  /** `settle`: everything that was begun by a timer, promises included, has come to rest. */
  constructor(settle: () => Promise<void>) {
    this.#settle = settle
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Runs what falls due until then, in order. */
  async reach(ms: number): Promise<void> {
    for (let timer = this.#next(ms); timer; timer = this.#next(ms)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.at)
      timer.task()
      await this.#settle()
    }
    this.#now = Math.max(this.#now, ms)
  }

  /** Of two that are due at the same time the one that was set first. */
  #next(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer
    return next
  }
}
