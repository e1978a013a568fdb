import type { Clock } from '../ports/clock.ts'

/** How long an entry may wait for others to be written with it, unless it is said. */
const defaultCollectMs = 500
const concurrency = 200
/** The most that is held while the database is away; what is more is lost. */
const maxQueued = 10_000

export interface WriteBehindDeps<T> {
  clock: Clock
  collectMs?: number
  /** In one transaction. */
  write: (batch: readonly T[]) => Promise<void>
  onError: (error: unknown) => void
}

/** Writes many small things beside what happens and never in its way: a few at once, in their order, again when the database was away. */
export class WriteBehind<T> {
  readonly #deps: WriteBehindDeps<T>
  #waiting: T[] = []
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: WriteBehindDeps<T>) {
    this.#deps = deps
  }

  put(what: T): void {
    this.#waiting.push(what)
    if (this.#waiting.length > maxQueued) this.#waiting.shift()
    this.#schedule()
  }

  /** Everything until now is written, or could not be. */
  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll())
    await this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.flush()
    this.#cancelTimer?.()
  }

  #schedule(): void {
    if (!this.#closed) this.#cancelTimer ??= this.#deps.clock.after(this.#deps.collectMs ?? defaultCollectMs, () => void this.flush())
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, concurrency)
      try {
        await this.#deps.write(batch)
      } catch (error) {
        this.#deps.onError(error)
        this.#waiting = [...batch, ...this.#waiting].slice(-maxQueued)
        return this.#schedule()
      }
    }
  }
}
