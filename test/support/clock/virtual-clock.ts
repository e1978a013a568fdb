import { setImmediate } from 'node:timers/promises'
import type { Clock } from '#core/kernel/ports/clock.ts'

/** How often the event loop turns between two timers, so that promise chains and their I/O come to rest. */
const SETTLING_TURNS = 5

interface Timer {
  at: number
  order: number
  task: () => void
}

/** Time that only moves when a test says so. */
export class VirtualClock implements Clock {
  #now: number
  /** By how much the clock on the wall was set. */
  #setMs = 0
  #order = 0
  #advancing = false
  readonly #timers = new Set<Timer>()

  readonly #settled: () => Promise<void>

  /** `settled` is waited for between timers: what the last one started on a real disk or socket takes its time. */
  constructor(start: number = Date.UTC(2026, 10, 15), settled: () => Promise<void> = () => Promise.resolve()) {
    this.#now = start
    this.#settled = settled
  }

  now(): number {
    return this.#now + this.#setMs
  }

  elapsed(): number {
    return this.#now
  }

  /** The system clock is set, forward or back. What waits goes on waiting. */
  set(ms: number): void {
    this.#setMs += ms
  }

  after(ms: number, task: () => void): () => void {
    if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Tasks that still wait: a test that ends with some has a leak. */
  pending(): number {
    return this.#timers.size
  }

  /** What still waits, in words that lead to it. */
  left(): string[] {
    return Array.from(this.#timers, ({ at, task }) => `in ${at - this.#now} ms: ${String(task).slice(0, 200)}`)
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

  /** As for a machine that slept: first the time is over, then what fell due meanwhile runs. Weeks pass at once. */
  async jump(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('Time only moves forward')
    this.#now += ms
    await this.advance(0)
  }

  async #runUntil(end: number): Promise<void> {
    await this.#settle()
    for (let timer = this.#nextDue(end); timer; timer = this.#nextDue(end)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.at)
      timer.task()
      await this.#settle()
    }
    this.#now = end
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn++) await setImmediate()
    await this.#settled()
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
