import type { Clock, MovableClock } from '#core/kernel/ports/platform.ts'

/** Node runs a timer with a longer delay immediately, so longer ones are split. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** Its timers never keep the process alive: their owners also hold a socket or a server open. */
export function realClock(): Clock {
  return { now: () => Date.now(), elapsed: () => Math.round(performance.now()), after: runAfter }
}

function runAfter(ms: number, task: () => void): () => void {
  if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
  if (ms > LONGEST_TIMEOUT_MS) return runMuchLater(ms, task)
  const timer = setTimeout(task, Math.max(ms, 0)).unref()
  return () => clearTimeout(timer)
}

function runMuchLater(ms: number, task: () => void): () => void {
  let cancel = runAfter(LONGEST_TIMEOUT_MS, () => (cancel = runAfter(ms - LONGEST_TIMEOUT_MS, task)))
  return () => cancel()
}

interface Timer {
  at: number
  task: () => void
  cancel: () => void
}

/** Follows the wall clock, and can be advanced. */
export class SandboxClock implements MovableClock {
  readonly #wall: Clock
  readonly #timers = new Set<Timer>()
  #aheadMs = 0

  constructor(wall: Clock) {
    this.#wall = wall
  }

  get aheadMs(): number {
    return this.#aheadMs
  }

  now(): number {
    return this.#wall.now() + this.#aheadMs
  }

  elapsed(): number {
    return this.#wall.elapsed() + this.#aheadMs
  }

  after(ms: number, task: () => void): () => void {
    const timer: Timer = { at: this.elapsed() + ms, task, cancel: () => {} }
    this.#timers.add(timer)
    this.#wind(timer, ms)
    return () => {
      this.#timers.delete(timer)
      timer.cancel()
    }
  }

  putForward(aheadMs: number): void {
    if (!(aheadMs > this.#aheadMs)) return
    this.#aheadMs = aheadMs
    for (const timer of this.#timers) {
      timer.cancel()
      this.#wind(timer, timer.at - this.elapsed())
    }
  }

  #wind(timer: Timer, ms: number): void {
    timer.cancel = this.#wall.after(ms, () => {
      this.#timers.delete(timer)
      timer.task()
    })
  }
}

/**
 * Time of calls: continues evenly during calls, even if the system clock is set or the sandbox is advanced. So durations are real, and a
 * call ends after it began.
 */
export class CallClock implements Clock {
  readonly #wall: Clock
  readonly #sandbox: MovableClock | undefined
  /** Whether there are calls. */
  talks: () => boolean = () => false
  #aheadMs: number
  #gapMs = 0

  constructor(wall: Clock, sandbox?: MovableClock) {
    this.#wall = wall
    this.#sandbox = sandbox
    this.#aheadMs = sandbox?.aheadMs ?? 0
    this.#readWall()
  }

  now(): number {
    if (!this.talks()) this.#readWall()
    return this.#wall.elapsed() + this.#gapMs + this.#aheadMs
  }

  elapsed(): number {
    return this.#wall.elapsed()
  }

  after(ms: number, task: () => void): () => void {
    return this.#wall.after(ms, task)
  }

  /** Call it only while there are no calls. */
  catchUp(): void {
    this.#aheadMs = this.#sandbox?.aheadMs ?? 0
  }

  #readWall(): void {
    this.#gapMs = this.#wall.now() - this.#wall.elapsed()
  }
}
