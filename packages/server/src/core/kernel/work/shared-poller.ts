import type { Clock } from '../ports/platform.ts'
import type { Store } from '../ports/store/index.ts'
import type { Worker } from './worker.ts'

interface SharedLookDeps {
  store: Store
  clock: Clock
  intervalMs: number
  onError: (error: unknown) => void
}

/** Polls for entries of other processes on behalf of all workers: one statement, the only activity while idle. */
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
    this.#cancelTimer = this.#deps.clock.after(this.#deps.intervalMs, () => {
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
