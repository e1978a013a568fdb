import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { Worker } from './worker.ts'

export interface SharedLookDeps {
  store: Store
  clock: Clock
  everyMs: number
  onError: (error: unknown) => void
}

/** Looks for all workers of a process whether another process left something for them: in one statement, which is all that happens while nothing does. */
export class SharedPoller {
  readonly #deps: SharedLookDeps
  readonly #workers: readonly Worker[]
  #cancelTimer: () => void = () => {}
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: SharedLookDeps, workers: readonly Worker[]) {
    this.#deps = deps
    this.#workers = workers
  }

  start(): void {
    if (this.#closed) return
    this.#cancelTimer = this.#deps.clock.after(this.#deps.everyMs, () => {
      this.#looking = this.#poll().then(() => this.start())
    })
  }

  idle(): Promise<void> {
    return this.#looking
  }

  close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    return this.#looking
  }

  async #poll(): Promise<void> {
    try {
      const due = await this.#deps.store.read.dueTimes.next(this.#workers.map(({ question }) => question))
      for (const [index, worker] of this.#workers.entries()) {
        const at = due[index]
        if (at !== undefined) worker.expect(at)
      }
    } catch (error) {
      this.#deps.onError(error)
    }
  }
}
