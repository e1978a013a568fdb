import type { Clock } from '../ports/clock.ts'
import type { DueEntry, DueQuestion, DueQueue, FirstLease } from '../ports/store/work/due-queue.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { WriteBehind } from './write-behind.ts'

/** Does one entry. Throwing means: again later. */
export type Task = (payload: unknown, entry: DueEntry) => Promise<void>

/** Thrown by a task that will never succeed. */
export class PermanentError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Hopeless'
  }
}

/** Thrown by a task that did not even begin: it comes again, and that was no attempt. */
export class DeferredError extends Error {
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
  concurrency?: number
  /** How often the table is read: other processes put entries into it without a signal. Undefined: it is told of every entry. */
  pollIntervalMs?: number
  onError: (kind: string, error: unknown) => void
  /** No further try made sense. */
  onGivenUp?: (kind: string) => void
}

const defaultConcurrency = 16
const leaseMs = 60_000
/** What is delivered is written a little later, together with others; a process that dies in between has it delivered again. */
const doneTogetherMs = 50

/** Runs what is due in one of the waiting tables, and sleeps until the next. An entry that takes long does not hold up the others. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #concurrency: number
  /** Entries of other kinds wait for a process that knows them. */
  readonly #kinds: readonly string[]
  /** By the id of the entry. */
  readonly #running = new Map<string, Promise<void>>()
  #cancelTimer: () => void = () => {}
  #poll: Promise<void> | undefined
  #again = false
  #closed = false
  #next: number | undefined
  /** What it was told while it looked, and may not have seen. */
  #toldMeanwhile: number | undefined
  /** Hands for entries that are being written. */
  #reserved = 0
  /** Delivered, and about to be written down: not to be begun again if the lease runs out meanwhile. */
  readonly #delivered = new Set<string>()
  readonly #sent: WriteBehind<string>

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#concurrency = options.concurrency ?? defaultConcurrency
    this.#kinds = Object.keys(options.tasks)
    const { store, clock, queue, onError } = options
    this.#sent = new WriteBehind({
      clock,
      collectMs: doneTogetherMs,
      write: async (ids) => {
        await store.write((tables) => queue(tables).done(...ids))
        for (const id of ids) this.#delivered.delete(id)
      },
      onError: (error) => onError('queue', error),
    })
  }

  get kinds(): readonly string[] {
    return this.#kinds
  }

  /** To learn from the store when its next entry is due. */
  get question(): DueQuestion {
    const { store, queue } = this.#options
    return { queue: queue(store.read).name, kinds: this.#kinds, aheadMs: this.#aheadMs }
  }

  start(): void {
    this.wake()
  }

  /** Look now: something was just written. */
  wake(): void {
    if (this.#closed) return
    if (this.#poll) {
      this.#again = true
      return
    }
    this.#cancelTimer()
    this.#again = false
    this.#toldMeanwhile = undefined
    this.#poll = this.#startAll().then(() => {
      this.#poll = undefined
      this.#next = earlier(this.#next, this.#toldMeanwhile)
      if (this.#again || this.#isDue(this.#toldMeanwhile)) this.wake()
      else this.#sleep()
    })
  }

  /** Look if something is due that it knows of. */
  nudge(): void {
    if (this.#isDue(this.#next)) this.wake()
  }

  /** One of its entries was written that is due then. */
  expect(dueAt: number): void {
    this.#toldMeanwhile = earlier(this.#toldMeanwhile, dueAt)
    if (this.#poll || (this.#next !== undefined && this.#next <= dueAt)) return
    this.#next = dueAt
    if (this.#isDue(dueAt)) return this.wake()
    this.#cancelTimer()
    this.#sleep()
  }

  /** For an entry that is about to be written here and due at that time: if there is a hand for it now, it need not be read again. */
  reserve(at: number): FirstLease | undefined {
    const { clock, wallClock = clock } = this.#options
    if (this.#closed || at > clock.now() || this.#running.size + this.#reserved >= this.#concurrency) return undefined
    this.#reserved++
    return { until: wallClock.now() + leaseMs, dueAt: clock.now() + leaseMs }
  }

  /** It was not written after all. */
  unreserve(): void {
    this.#reserved--
  }

  /** It was written, and leased. */
  take(entry: DueEntry): void {
    this.#reserved--
    if (!this.#closed) return this.#run(entry)
    // It is too late for this process; the next one does not wait for the end of the lease.
    this.#putBack(entry, new DeferredError('the service ends', 0)).catch((error: unknown) => this.#options.onError('queue', error))
  }

  /** When the next entry is due that no process has leased; these kinds do not count. */
  nextWaiting(without: ReadonlySet<string> = new Set()): Promise<number | undefined> {
    const { store, queue, clock, wallClock = clock } = this.#options
    const kinds = this.#kinds.filter((kind) => !without.has(kind))
    return queue(store.read).nextWaiting(kinds, wallClock.now())
  }

  /** Nothing that is due is left, and nothing runs. */
  async idle(): Promise<void> {
    while (this.#poll || this.#running.size > 0) await (this.#poll ?? Promise.race(this.#running.values()))
    await this.#sent.flush()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#poll
    await Promise.all(this.#running.values())
    await this.#sent.close()
  }

  get #aheadMs(): number {
    const { clock, wallClock = clock } = this.#options
    return wallClock === clock ? 0 : clock.now() - wallClock.now()
  }

  #isDue(at: number | undefined): boolean {
    return at !== undefined && at <= this.#options.clock.now()
  }

  #sleep(): void {
    const { clock, pollIntervalMs = Infinity } = this.#options
    const wait = Math.min(pollIntervalMs, (this.#next ?? Infinity) - clock.now())
    // When all hands are busy, the first that is free looks.
    if (this.#closed || this.#running.size >= this.#concurrency || wait === Infinity) return
    this.#cancelTimer = clock.after(Math.max(wait, 0), () => this.wake())
  }

  get #isNotified(): boolean {
    return this.#options.pollIntervalMs === undefined
  }

  async #startAll(): Promise<void> {
    const { store, clock, queue, onError } = this.#options
    try {
      while (!this.#closed && this.#running.size < this.#concurrency) {
        // Looking is a read; only when something is there does it become a write.
        this.#next = await queue(store.read).nextDue(this.#kinds, this.#aheadMs)
        if (this.#next === undefined || this.#next > clock.now()) return
        const free = this.#concurrency - this.#running.size - this.#reserved
        if (free <= 0) return
        const entries = await store.write((tables) => queue(tables).lease(this.#kinds, clock.now(), free, leaseMs, this.#aheadMs))
        if (entries.length === 0) return this.#wasTaken()
        // One that takes longer than its lease comes again, which renews the lease.
        for (const entry of entries) if (!this.#running.has(entry.id) && !this.#delivered.has(entry.id)) this.#run(entry)
      }
    } catch (error) {
      this.#next = undefined
      onError('queue', error)
    }
  }

  /** Another process was faster. Who is told of entries need not look whether it keeps them. */
  #wasTaken(): void {
    if (this.#isNotified) this.#next = undefined
  }

  #run(entry: DueEntry): void {
    const running = this.#runOne(entry)
      .catch((error: unknown) => this.#options.onError('queue', error))
      .then(() => {
        const wasFull = this.#running.size + this.#reserved >= this.#concurrency
        this.#running.delete(entry.id)
        if (wasFull || !this.#isNotified) this.wake()
      })
    this.#running.set(entry.id, running)
  }

  async #runOne(entry: DueEntry): Promise<void> {
    const { store, queue, tasks, onError } = this.#options
    try {
      await tasks[entry.kind]?.(entry.payload, entry)
      // A job may be scheduled again under its name, so that it cannot end later.
      if (queue(store.read).name === 'outbox') this.#noteDelivered(entry.id)
      else await store.write((tables) => queue(tables).done(entry.id))
    } catch (error) {
      if (!(error instanceof DeferredError)) onError(entry.kind, error)
      await this.#putBack(entry, error)
    }
  }

  #noteDelivered(id: string): void {
    this.#delivered.add(id)
    this.#sent.put(id)
  }

  async #putBack({ id, kind, attempts }: DueEntry, error: unknown): Promise<void> {
    const { store, clock, queue, retryAfterMs, spread = () => 1, onGivenUp } = this.#options
    const wait = error instanceof PermanentError ? undefined : retryAfterMs[attempts - 1]
    const reason = error instanceof Error ? error.message : String(error)
    const again = error instanceof DeferredError ? error.waitMs : wait
    const dueAt = clock.now() + Math.round((again ?? 0) * spread(id))
    await store.write(async (tables) => {
      if (error instanceof DeferredError) await queue(tables).postpone(id, dueAt)
      else if (wait === undefined) await queue(tables).giveUp(id, reason)
      else await queue(tables).retry(id, dueAt, reason)
    })
    if (again !== undefined) this.expect(dueAt)
    else onGivenUp?.(kind)
  }
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one
