import type { Clock } from '../ports/clock.ts'

/** How long an entry may wait for others to be written with it, unless it is said. */
const usualCollectMs = 500
const atOnce = 200
/** The most that is held while the database is away; what is more is lost. */
const mostWaiting = 10_000

export interface WriteBehindParts<T> {
  clock: Clock
  collectMs?: number
  /** In one transaction. */
  write: (batch: readonly T[]) => Promise<void>
  onError: (error: unknown) => void
}

/** Writes many small things beside what happens and never in its way: a few at once, in their order, again when the database was away. */
export class WriteBehind<T> {
  readonly #parts: WriteBehindParts<T>
  #waiting: T[] = []
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(parts: WriteBehindParts<T>) {
    this.#parts = parts
  }

  put(what: T): void {
    this.#waiting.push(what)
    if (this.#waiting.length > mostWaiting) this.#waiting.shift()
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
    if (!this.#closed) this.#cancelTimer ??= this.#parts.clock.after(this.#parts.collectMs ?? usualCollectMs, () => void this.flush())
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, atOnce)
      try {
        await this.#parts.write(batch)
      } catch (error) {
        this.#parts.onError(error)
        this.#waiting = [...batch, ...this.#waiting].slice(-mostWaiting)
        return this.#schedule()
      }
    }
  }
}
