import type { Clock } from '../ports/platform.ts'

/** Default milliseconds to collect entries for one write. */
const defaultCollectMs = 500
const concurrency = 200
/** Maximum entries held while the database is unreachable; more are lost. */
const maxQueued = 10_000

interface CollectedWritesDeps {
  clock: Pick<Clock, 'after'>
  collectMs?: number | undefined
  /** Writes what has been collected. Must not throw. */
  write: () => Promise<void>
}

/** Writes in the background, a while after the first change, so that others join it. Writes do not overlap. */
export class CollectedWrites {
  readonly #deps: CollectedWritesDeps
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: CollectedWritesDeps) {
    this.#deps = deps
  }

  schedule(): void {
    const { clock, collectMs = defaultCollectMs } = this.#deps
    if (!this.#closed) this.#cancelTimer ??= clock.after(collectMs, () => void this.flush())
  }

  /** Resolves when everything so far is written or has failed. */
  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#writing = this.#writing.then(() => this.#deps.write())
    await this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.flush()
  }
}

interface WriteBehindDeps<T> {
  clock: Clock
  collectMs?: number
  /** Runs in one transaction. */
  write: (batch: readonly T[]) => Promise<void>
  onError: (error: unknown) => void
}

/** Writes small entries in the background without delaying the caller: batched, in order, retried after a database outage. */
export class WriteBehind<T> {
  readonly #deps: WriteBehindDeps<T>
  readonly #writes: CollectedWrites
  #waiting: T[] = []

  constructor(deps: WriteBehindDeps<T>) {
    this.#deps = deps
    this.#writes = new CollectedWrites({ clock: deps.clock, collectMs: deps.collectMs, write: () => this.#writeAll() })
  }

  put(what: T): void {
    this.#waiting.push(what)
    if (this.#waiting.length > maxQueued) this.#waiting.shift()
    this.#writes.schedule()
  }

  flush(): Promise<void> {
    return this.#writes.flush()
  }

  close(): Promise<void> {
    return this.#writes.close()
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, concurrency)
      try {
        await this.#deps.write(batch)
      } catch (error) {
        this.#deps.onError(error)
        this.#waiting = [...batch, ...this.#waiting].slice(-maxQueued)
        return this.#writes.schedule()
      }
    }
  }
}
