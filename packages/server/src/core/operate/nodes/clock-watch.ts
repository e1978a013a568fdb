import type { Clock } from '#core/kernel/ports/clock.ts'

export interface ClockWatchDeps {
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
  readonly #deps: ClockWatchDeps
  #gapMs: number
  #cancelTimer: () => void = () => {}

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps
    this.#gapMs = this.#apart
    this.#schedulePoll()
  }

  async close(): Promise<void> {
    this.#cancelTimer()
  }

  get #apart(): number {
    return this.#deps.clock.now() - this.#deps.clock.elapsed()
  }

  #poll(): void {
    const ms = this.#apart - this.#gapMs
    if (Math.abs(ms) < slightMs) return
    this.#gapMs += ms
    this.#deps.wasSet(ms)
  }

  #schedulePoll(): void {
    this.#cancelTimer = this.#deps.clock.after(this.#deps.everyMs, () => {
      this.#poll()
      this.#schedulePoll()
    })
  }
}
