import { setImmediate } from 'node:timers/promises'

/** Event loop turns between two timers, so that promise chains and their I/O settle. */
const settlingTurns = 5

interface Timer {
  at: number
  order: number
  task: () => void
}

/** A clock that advances only on request. Pass it to an assistant to make its waits take no real time. */
export class VirtualClock {
  protected readonly timers = new Set<Timer>()
  #now: number
  #order = 0
  #advancing = false
  readonly #settled: () => Promise<void>

  /** `settled` is awaited between timers: real disk or socket I/O of the last one takes time. */
  constructor(start: number = Date.UTC(2026, 10, 15), settled: () => Promise<void> = () => Promise.resolve()) {
    this.#now = start
    this.#settled = settled
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#now
  }

  /** Monotonic milliseconds, for differences only. */
  elapsed(): number {
    return this.#now
  }

  /** Returns a function that cancels the timer. */
  after(ms: number, task: () => void): () => void {
    if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, task }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }

  /** Number of pending tasks: a test that ends with some has a leak. */
  pending(): number {
    return this.timers.size
  }

  /** Runs all tasks due within `ms`, in order, including those scheduled by these tasks and their promises. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('Time only moves forward')
    await this.#alone(async () => {
      const end = this.#now + ms
      await this.settle()
      while (await this.#runNext(end));
      this.#now = end
    })
  }

  /** Runs the next due task only; advances at most `maxMs`. */
  async step(maxMs: number): Promise<void> {
    await this.#alone(async () => {
      const end = this.#now + maxMs
      if (!(await this.#runNext(end))) this.#now = end
    })
  }

  /** Lets pending work settle without advancing the time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < settlingTurns; turn++) await setImmediate()
    await this.#settled()
  }

  /** Advances the time before running the tasks that became due. */
  protected skip(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('Time only moves forward')
    this.#now += ms
  }

  async #alone(move: () => Promise<void>): Promise<void> {
    if (this.#advancing) throw new Error('The clock is already being advanced: await the first call')
    this.#advancing = true
    try {
      await move()
    } finally {
      this.#advancing = false
    }
  }

  /** False: no task is due until `end`. */
  async #runNext(end: number): Promise<boolean> {
    const timer = this.#nextDue(end)
    if (!timer) return false
    this.timers.delete(timer)
    this.#now = Math.max(this.#now, timer.at)
    timer.task()
    await this.settle()
    return true
  }

  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.timers) {
      if (timer.at > end) continue
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer
    }
    return next
  }
}
