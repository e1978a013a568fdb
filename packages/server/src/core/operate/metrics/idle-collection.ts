import type { Clock } from '#core/kernel/ports/clock.ts'

export interface IdleCollectionDeps {
  clock: Clock
  /** Calls since the process began, and those of now. */
  calls: () => { started: number; running: number }
  /** Drops memory that was kept for calls and that none has needed since the last time. */
  trim: () => void
  /** Gives back what is not needed any more. It stops the thread for a tenth of a second. */
  collect: () => void
}

const intervalMs = 60_000
/** First what is kept for calls gets old, then it is dropped. */
const quietLooks = 2

/**
 * Gives memory back when there are no calls. V8 collects when it needs room, and a service in which nothing happens needs none: it would keep what its
 * busiest hour has left.
 */
export class IdleCollection {
  readonly #deps: IdleCollectionDeps
  #cancel: () => void
  /** Calls that had begun at the last look, and at the last collection. */
  #started = 0
  #collected = 0
  #quiet = 0

  constructor(deps: IdleCollectionDeps) {
    this.#deps = deps
    this.#cancel = deps.clock.after(intervalMs, () => this.#poll())
  }

  async close(): Promise<void> {
    this.#cancel()
  }

  #poll(): void {
    const { clock, calls, trim, collect } = this.#deps
    const { started, running } = calls()
    this.#quiet = running === 0 && started === this.#started ? this.#quiet + 1 : 0
    this.#started = started
    trim()
    if (this.#quiet >= quietLooks && started !== this.#collected) {
      this.#collected = started
      collect()
    }
    this.#cancel = clock.after(intervalMs, () => this.#poll())
  }
}
