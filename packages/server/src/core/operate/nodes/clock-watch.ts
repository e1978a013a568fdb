import type { Clock } from '#core/kernel/ports/clock.ts'

export interface ClockWatchParts {
  /** The one on the wall. */
  clock: Clock
  everyMs: number
  /** It was set forward by so much, or back. */
  wasSet: (ms: number) => void
}

/** The largest correction of a clock that goes unnoticed. */
const slightMs = 2_000

/** Notices that the clock of the machine is set. */
export class ClockWatch {
  readonly #parts: ClockWatchParts
  #apartMs: number
  #cancelTimer: () => void = () => {}

  constructor(parts: ClockWatchParts) {
    this.#parts = parts
    this.#apartMs = this.#apart
    this.#lookLater()
  }

  async close(): Promise<void> {
    this.#cancelTimer()
  }

  get #apart(): number {
    return this.#parts.clock.now() - this.#parts.clock.elapsed()
  }

  #look(): void {
    const ms = this.#apart - this.#apartMs
    if (Math.abs(ms) < slightMs) return
    this.#apartMs += ms
    this.#parts.wasSet(ms)
  }

  #lookLater(): void {
    this.#cancelTimer = this.#parts.clock.after(this.#parts.everyMs, () => {
      this.#look()
      this.#lookLater()
    })
  }
}
