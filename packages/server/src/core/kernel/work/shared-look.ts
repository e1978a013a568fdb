import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { Worker } from './worker.ts'

export interface SharedLookParts {
  store: Store
  clock: Clock
  everyMs: number
  onError: (error: unknown) => void
}

/** Looks for all workers of a process whether another process left something for them: in one statement, which is all that happens while nothing does. */
export class SharedLook {
  readonly #parts: SharedLookParts
  readonly #workers: readonly Worker[]
  #cancelTimer: () => void = () => {}
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  constructor(parts: SharedLookParts, workers: readonly Worker[]) {
    this.#parts = parts
    this.#workers = workers
  }

  start(): void {
    if (this.#closed) return
    this.#cancelTimer = this.#parts.clock.after(this.#parts.everyMs, () => {
      this.#looking = this.#look().then(() => this.start())
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

  async #look(): Promise<void> {
    try {
      const due = await this.#parts.store.read.dueTimes.next(this.#workers.map(({ question }) => question))
      for (const [index, worker] of this.#workers.entries()) {
        const at = due[index]
        if (at !== undefined) worker.expect(at)
      }
    } catch (error) {
      this.#parts.onError(error)
    }
  }
}
