import type { Clock, MovableClock } from '#core/kernel/ports/clock.ts'

/**
 * The time of calls: it goes on evenly while somebody talks, even if somebody sets the clock on the wall or puts the sandbox forward meanwhile.
 * So a call lasts as long as it lasts, and ends after it began.
 */
export class CallClock implements Clock {
  readonly #wall: Clock
  readonly #sandbox: MovableClock | undefined
  /** Somebody does. */
  talks: () => boolean = () => false
  #aheadMs: number
  #apartMs = 0

  constructor(wall: Clock, sandbox?: MovableClock) {
    this.#wall = wall
    this.#sandbox = sandbox
    this.#aheadMs = sandbox?.aheadMs ?? 0
    this.#readWall()
  }

  now(): number {
    if (!this.talks()) this.#readWall()
    return this.#wall.elapsed() + this.#apartMs + this.#aheadMs
  }

  elapsed(): number {
    return this.#wall.elapsed()
  }

  after(ms: number, task: () => void): () => void {
    return this.#wall.after(ms, task)
  }

  /** To be called only while nobody talks. */
  catchUp(): void {
    this.#aheadMs = this.#sandbox?.aheadMs ?? 0
  }

  #readWall(): void {
    this.#apartMs = this.#wall.now() - this.#wall.elapsed()
  }
}
