import type { Clock } from '#core/kernel/ports/platform.ts'

interface ClockWatchDeps {
  /** Wall clock. */
  clock: Clock
  intervalMs: number
  /** Called with the change of the clock in milliseconds, negative if set back. */
  wasSet: (ms: number) => void
}

/** Maximum correction that is ignored. */
const slightMs = 2_000

/** Detects changes of the machine's clock. */
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
    this.#cancelTimer = this.#deps.clock.after(this.#deps.intervalMs, () => {
      this.#poll()
      this.#schedulePoll()
    })
  }
}
