import { setImmediate } from 'node:timers/promises'

/** How often the event loop turns between two timers, so that promise chains and their I/O come to rest. */
const settlingTurns = 5

interface Timer {
  at: number
  order: number
  task: () => void
}

/** Time that moves only when it is told to. Hand it to an assistant, and what it waits for costs no time. */
export class VirtualClock {
  protected readonly timers = new Set<Timer>()
  #now: number
  #order = 0
  #advancing = false
  readonly #settled: () => Promise<void>

  /** `settled` is waited for between timers: what the last one started on a real disk or socket takes its time. */
  constructor(start: number = Date.UTC(2026, 10, 15), settled: () => Promise<void> = () => Promise.resolve()) {
    this.#now = start
    this.#settled = settled
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#now
  }

  /** Only for differences. */
  elapsed(): number {
    return this.#now
  }

  /** Gives what cancels it. */
  after(ms: number, task: () => void): () => void {
    if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, task }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }

  /** Tasks that still wait: a test that ends with some has a leak. */
  pending(): number {
    return this.timers.size
  }

  /** Runs everything that falls due within `ms`, in order; also what those tasks (and their promises) schedule meanwhile. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('Time only moves forward')
    await this.#alone(async () => {
      const end = this.#now + ms
      await this.settle()
      while (await this.#runNext(end));
      this.#now = end
    })
  }

  /** Runs what falls due next, and nothing else; at most so many milliseconds pass. */
  async step(maxMs: number): Promise<void> {
    await this.#alone(async () => {
      const end = this.#now + maxMs
      if (!(await this.#runNext(end))) this.#now = end
    })
  }

  /** What has begun comes to rest. No time passes. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < settlingTurns; turn++) await setImmediate()
    await this.#settled()
  }

  /** The time is over before anything runs that fell due meanwhile. */
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

  /** False: nothing falls due until then. */
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
