import type { Clock } from '#core/kernel/ports/platform.ts'

interface IdleCollectionDeps {
  clock: Clock
  /** Calls since the start of the process, and running calls. */
  calls: () => { started: number; running: number }
  /** Drops memory kept for calls and unused since the last run. */
  trim: () => void
  /** Runs a full garbage collection. Blocks the thread for a tenth of a second. */
  collect: () => void
}

const intervalMs = 60_000
/** Polls without calls before a collection: memory kept for calls first ages, then it is dropped. */
const quietLooks = 2

/**
 * Releases memory when there are no calls. V8 collects only when it needs memory, and an idle service needs none: it would keep the
 * garbage of its busiest hour.
 */
export class IdleCollection {
  readonly #deps: IdleCollectionDeps
  #cancel: () => void
  /** Calls started as of the last poll, and as of the last collection. */
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
