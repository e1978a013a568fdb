import type { Clock } from '../ports/clock.ts'
import type { DueEntry, DueQueue } from '../ports/store/work/due-queue.ts'
import type { Store, Tables } from '../ports/store/index.ts'

/** Does one entry. Throwing means: again later. */
export type Task = (payload: unknown, entry: DueEntry) => Promise<void>

/** Thrown by a task that will never succeed. */
export class Hopeless extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Hopeless'
  }
}

/** Thrown by a task that did not even begin: it comes again, and that was no attempt. */
export class NotYet extends Error {
  readonly waitMs: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.name = 'NotYet'
    this.waitMs = waitMs
  }
}

export interface WorkerOptions {
  store: Store
  clock: Clock
  /** What leases go by, unless it is the same. */
  wallClock?: Clock
  queue: (tables: Tables) => DueQueue
  tasks: Record<string, Task>
  /** Milliseconds to wait after each failed attempt; after the last one the entry is given up. */
  retryAfterMs: readonly number[]
  /** Puts retries of many entries apart: how much longer or shorter those of this one are. */
  spread?: (id: string) => number
  /** How many entries are done at the same time. */
  atOnce?: number
  /** How often the table is read: other processes put entries into it without a signal. */
  lookEveryMs: number
  onError: (kind: string, error: unknown) => void
}

const usuallyAtOnce = 16
const leaseMs = 60_000

/** Runs what is due in one of the waiting tables, and sleeps until the next. An entry that takes long does not hold up the others. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #atOnce: number
  /** Entries of other kinds wait for a process that knows them. */
  readonly #kinds: readonly string[]
  /** By the id of the entry. */
  readonly #running = new Map<string, Promise<void>>()
  #cancelTimer: () => void = () => {}
  #look: Promise<void> | undefined
  #again = false
  #closed = false
  #next: number | undefined

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#atOnce = options.atOnce ?? usuallyAtOnce
    this.#kinds = Object.keys(options.tasks)
  }

  start(): void {
    this.wake()
  }

  /** Look now: something was just written. */
  wake(): void {
    if (this.#closed) return
    if (this.#look) {
      this.#again = true
      return
    }
    this.#cancelTimer()
    this.#again = false
    this.#look = this.#startAll().then(() => {
      this.#look = undefined
      if (this.#again) this.wake()
      else this.#sleep()
    })
  }

  /** When the next entry is due that no process has leased; these kinds do not count. */
  nextWaiting(without: ReadonlySet<string> = new Set()): Promise<number | undefined> {
    const { store, queue, clock, wallClock = clock } = this.#options
    const kinds = this.#kinds.filter((kind) => !without.has(kind))
    return queue(store.read).nextWaiting(kinds, wallClock.now())
  }

  /** Nothing that is due is left, and nothing runs. */
  async idle(): Promise<void> {
    while (this.#look || this.#running.size > 0) await (this.#look ?? Promise.race(this.#running.values()))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#look
    await Promise.all(this.#running.values())
  }

  get #aheadMs(): number {
    const { clock, wallClock = clock } = this.#options
    return wallClock === clock ? 0 : clock.now() - wallClock.now()
  }

  #sleep(): void {
    const { clock, lookEveryMs } = this.#options
    const wait = Math.min(lookEveryMs, (this.#next ?? Infinity) - clock.now())
    // When all hands are busy, the first that is free looks.
    if (!this.#closed && this.#running.size < this.#atOnce) this.#cancelTimer = clock.after(Math.max(wait, 0), () => this.wake())
  }

  async #startAll(): Promise<void> {
    const { store, clock, queue, onError } = this.#options
    try {
      while (!this.#closed && this.#running.size < this.#atOnce) {
        // Looking is a read; only when something is there does it become a write.
        this.#next = await queue(store.read).nextDue(this.#kinds, this.#aheadMs)
        if (this.#next === undefined || this.#next > clock.now()) return
        const free = this.#atOnce - this.#running.size
        const entries = await store.write((tables) => queue(tables).lease(this.#kinds, clock.now(), free, leaseMs, this.#aheadMs))
        if (entries.length === 0) return // another process was faster
        // One that takes longer than its lease comes again, which renews the lease.
        for (const entry of entries) if (!this.#running.has(entry.id)) this.#run(entry)
      }
    } catch (error) {
      this.#next = undefined
      onError('queue', error)
    }
  }

  #run(entry: DueEntry): void {
    const running = this.#runOne(entry)
      .catch((error: unknown) => this.#options.onError('queue', error))
      .then(() => {
        this.#running.delete(entry.id)
        this.wake()
      })
    this.#running.set(entry.id, running)
  }

  async #runOne(entry: DueEntry): Promise<void> {
    const { store, queue, tasks, onError } = this.#options
    try {
      await tasks[entry.kind]?.(entry.payload, entry)
      await store.write((tables) => queue(tables).done(entry.id))
    } catch (error) {
      if (!(error instanceof NotYet)) onError(entry.kind, error)
      await this.#putBack(entry, error)
    }
  }

  async #putBack({ id, attempts }: DueEntry, error: unknown): Promise<void> {
    const { store, clock, queue, retryAfterMs, spread = () => 1 } = this.#options
    const wait = error instanceof Hopeless ? undefined : retryAfterMs[attempts - 1]
    const reason = error instanceof Error ? error.message : String(error)
    const after = (ms: number): number => clock.now() + Math.round(ms * spread(id))
    await store.write(async (tables) => {
      if (error instanceof NotYet) await queue(tables).postpone(id, after(error.waitMs))
      else if (wait === undefined) await queue(tables).giveUp(id, reason)
      else await queue(tables).retry(id, after(wait), reason)
    })
  }
}
