import type { Clock, MovableClock } from '#core/kernel/ports/clock.ts'

interface Timer {
  at: number
  task: () => void
  cancel: () => void
}

/** Runs beside the clock on the wall, and can be put forward. */
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
