import type { Clock, MovableClock } from '#core/kernel/ports/clock.ts'

/**
 * The time of calls: it goes on evenly while there are calls, even if the system clock is set or the sandbox is put forward meanwhile.
 * So a call lasts as long as it lasts, and ends after it began.
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

  /** To be called only while there are no calls. */
  catchUp(): void {
    this.#aheadMs = this.#sandbox?.aheadMs ?? 0
  }

  #readWall(): void {
    this.#gapMs = this.#wall.now() - this.#wall.elapsed()
  }
}
