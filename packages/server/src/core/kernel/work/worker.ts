import type { Clock } from '../ports/platform.ts'
import type { DueEntry, DueQuestion, DueQueue, FirstLease, LeasedEntry } from '../ports/store/work.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { WriteBehind } from './write-behind.ts'

/** Runs one job. Throw to retry later. */
export type Task = (payload: unknown, entry: DueEntry) => Promise<void>

/** Thrown by a task that will never succeed. */
export class PermanentError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Hopeless'
  }
}

/** Defers the job without counting an attempt. */
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
  /** Clock for leases, if different. */
  wallClock?: Clock
  queue: (tables: Tables) => DueQueue
  tasks: Record<string, Task>
  /** Milliseconds to wait after each failed attempt; after the last one the entry is given up. */
  retryAfterMs: readonly number[]
  /** Retry jitter: factor per entry. */
  spread?: (id: string) => number
  /** Maximum entries running concurrently. */
  concurrency?: number
  /** Interval at which the table is read, since other processes write entries without a signal. Undefined: every entry is signalled. */
  pollIntervalMs?: number
  onError: (kind: string, error: unknown) => void
  /** Called when the entry failed permanently. */
  onGivenUp?: (kind: string) => void
  /** By kind: runs when an entry is parked, such as to notify its owner. */
  parked?: Record<string, (payload: unknown) => Promise<void>>
  /** Called when an entry crashed its process too often and waits for an operator. */
  onParked?: (kind: string) => void
}

const defaultConcurrency = 16
const leaseMs = 60_000
/** Crashes of its process after which an entry is parked. */
const maxLost = 2
/** A lost entry is suspect and runs without other suspects, so that entries that merely ran concurrently are not parked with it. */
const suspectWaitMs = 1_000
/** Delivered entries are marked in batches, slightly later; a process that dies in between delivers them again. */
const doneTogetherMs = 50

/** Runs due entries of a queue table, and sleeps until the next. A slow entry does not delay the others. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #concurrency: number
  /** Entries of other kinds wait for a process that knows them. */
  readonly #kinds: readonly string[]
  /** By entry id. */
  readonly #running = new Map<string, { done: Promise<void>; leasedUntil: number; isSuspect: boolean }>()
  #cancelTimer: () => void = () => {}
  #poll: Promise<void> | undefined
  #again = false
  #closed = false
  #next: number | undefined
  /** Due time signalled during a poll that may have missed it. */
  #toldMeanwhile: number | undefined
  /** Time of the last write here without an answer: it may have leased entries that never ran, or left an ended one leased. */
  #unansweredAt = -Infinity
  /** Slots for entries that are being written. */
  #reserved = 0
  /** Delivered, but not yet marked: must not start again if the lease expires. */
  readonly #delivered = new Set<string>()
  readonly #sent: WriteBehind<string>

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#concurrency = options.concurrency ?? defaultConcurrency
    this.#kinds = Object.keys(options.tasks)
    const { store, clock, queue } = options
    this.#sent = new WriteBehind({
      clock,
      collectMs: doneTogetherMs,
      write: async (ids) => {
        await store.write((tables) => queue(tables).done(...ids))
        for (const id of ids) this.#delivered.delete(id)
      },
      onError: (error) => this.#writeFailed(error),
    })
  }

  get kinds(): readonly string[] {
    return this.#kinds
  }

  /** Query for the time its next entry is due. */
  get question(): DueQuestion {
    const { store, queue } = this.#options
    return { queue: queue(store.read).name, kinds: this.#kinds, aheadMs: this.#aheadMs }
  }

  start(): void {
    this.wake()
  }

  /** Polls now, because an entry was just written. */
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

  /** Polls if a known entry is due. */
  nudge(): void {
    if (this.#isDue(this.#next)) this.wake()
  }

  /** Signals that an entry with this due time was written. */
  expect(dueAt: number): void {
    this.#toldMeanwhile = earlier(this.#toldMeanwhile, dueAt)
    if (this.#poll || (this.#next !== undefined && this.#next <= dueAt)) return
    this.#next = dueAt
    if (this.#isDue(dueAt)) return this.wake()
    this.#cancelTimer()
    this.#sleep()
  }

  /** Reserves a free slot for an entry about to be written here and due at that time, so that it need not be read again. */
  reserve(at: number): FirstLease | undefined {
    const { clock } = this.#options
    if (this.#closed || at > clock.now() || this.#running.size + this.#reserved >= this.#concurrency) return undefined
    this.#reserved++
    return { until: this.#leaseEnd, dueAt: clock.now() + leaseMs }
  }

  /** Called when the entry was not written after all. */
  unreserve(): void {
    this.#reserved--
  }

  /** Called when the entry was written and leased. */
  take(entry: DueEntry): void {
    this.#reserved--
    if (!this.#closed) return this.#run({ ...entry, lost: 0 })
    // This process is closing; the next one must not wait for the end of the lease.
    this.#putBack(entry, new DeferredError('the service ends', 0)).catch((error: unknown) => this.#options.onError('queue', error))
  }

  /** Time the next unleased entry is due, excluding these kinds. */
  nextWaiting(without: ReadonlySet<string> = new Set()): Promise<number | undefined> {
    const { store, queue, clock, wallClock = clock } = this.#options
    const kinds = this.#kinds.filter((kind) => !without.has(kind))
    return queue(store.read).nextWaiting(kinds, wallClock.now())
  }

  /** Resolves when no due entry is left and none runs. */
  async idle(): Promise<void> {
    while (this.#poll || this.#running.size > 0) await (this.#poll ?? Promise.race(this.#ends()))
    await this.#sent.flush()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#poll
    await Promise.all(this.#ends())
    await this.#sent.close()
  }

  #ends(): Promise<void>[] {
    return [...this.#running.values()].map(({ done }) => done)
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
    // When all slots are busy, the first free one polls.
    if (this.#closed || this.#running.size >= this.#concurrency || wait === Infinity) return
    this.#cancelTimer = clock.after(Math.max(wait, 0), () => this.wake())
  }

  get #isNotified(): boolean {
    return this.#options.pollIntervalMs === undefined
  }

  async #startAll(): Promise<void> {
    const { store, clock, queue } = this.#options
    try {
      while (!this.#closed && this.#running.size < this.#concurrency) {
        // Polling is a read; it becomes a write only if an entry is due.
        this.#next = await queue(store.read).nextDue(this.#kinds, this.#aheadMs)
        if (this.#next === undefined || this.#next > clock.now()) return
        const free = this.#concurrency - this.#running.size - this.#reserved
        if (free <= 0) return
        const renewed = this.#takingLong()
        const leased = await store.write((tables) => this.#lease(queue(tables), renewed, free))
        this.#renewed(renewed)
        if (leased.length === 0 && renewed.length === 0) return this.#wasTaken()
        for (const entry of leased) if (!this.#running.has(entry.id) && !this.#delivered.has(entry.id)) this.#run(entry)
      }
    } catch (error) {
      this.#next = undefined
      this.#writeFailed(error)
    }
  }

  async #lease(queue: DueQueue, renewed: readonly string[], limit: number): Promise<LeasedEntry[]> {
    const now = this.#options.clock.now()
    if (renewed.length > 0) await queue.renew(renewed, now, leaseMs, this.#aheadMs)
    const entries = await queue.lease(this.#kinds, now, limit, leaseMs, this.#aheadMs)
    let hasSuspect = [...this.#running.values()].some(({ isSuspect }) => isSuspect)
    const begun: LeasedEntry[] = []
    const wasUnanswered = now - this.#unansweredAt < 2 * leaseMs
    for (const leased of entries) {
      const entry = wasUnanswered ? { ...leased, lost: 0 } : leased
      if (entry.lost !== leased.lost) await queue.forgive(entry.id)
      if (isSuspect(entry) && hasSuspect) await queue.postpone(entry.id, now + suspectWaitMs)
      else begun.push(entry)
      hasSuspect ||= isSuspect(entry)
    }
    return begun
  }

  /** Entries running longer than their lease. */
  #takingLong(): string[] {
    const { clock, wallClock = clock } = this.#options
    return [...this.#running].filter(([, { leasedUntil }]) => leasedUntil <= wallClock.now()).map(([id]) => id)
  }

  #renewed(ids: readonly string[]): void {
    for (const id of ids) {
      const running = this.#running.get(id)
      if (running) running.leasedUntil = this.#leaseEnd
    }
  }

  get #leaseEnd(): number {
    const { clock, wallClock = clock } = this.#options
    return wallClock.now() + leaseMs
  }

  /** Another process was faster. A notified worker need not check whether that one finishes the entry. */
  #wasTaken(): void {
    if (this.#isNotified) this.#next = undefined
  }

  #run(entry: LeasedEntry): void {
    const done = this.#runOne(entry)
      .catch((error: unknown) => this.#writeFailed(error))
      .then(() => {
        const wasFull = this.#running.size + this.#reserved >= this.#concurrency
        this.#running.delete(entry.id)
        if (wasFull || !this.#isNotified) this.wake()
      })
    this.#running.set(entry.id, { done, leasedUntil: this.#leaseEnd, isSuspect: isSuspect(entry) })
  }

  async #runOne(entry: LeasedEntry): Promise<void> {
    const { store, queue, tasks, onError } = this.#options
    try {
      if (entry.lost >= maxLost) return await this.#park(entry)
      await tasks[entry.kind]?.(entry.payload, entry)
      // A job may be rescheduled under its name, so marking it done cannot be delayed.
      if (queue(store.read).name === 'outbox') this.#noteDelivered(entry.id)
      else await store.write((tables) => queue(tables).done(entry.id))
    } catch (error) {
      if (!(error instanceof DeferredError)) onError(entry.kind, error)
      await this.#putBack(entry, error)
    }
  }

  async #park({ id, kind, payload, lost }: LeasedEntry): Promise<void> {
    const { store, clock, queue, parked, onParked, onGivenUp } = this.#options
    await parked?.[kind]?.(payload)
    await store.write((tables) => queue(tables).park(id, clock.now(), `the process died ${lost} times in the middle of it`))
    onParked?.(kind)
    onGivenUp?.(kind)
  }

  #writeFailed(error: unknown): void {
    this.#unansweredAt = this.#options.clock.now()
    this.#options.onError('queue', error)
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

const isSuspect = ({ lost }: LeasedEntry): boolean => lost > 0 && lost < maxLost

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one

/** Tracks short database work, to know when none is running. */
export class Tasks {
  readonly #running = new Set<Promise<unknown>>()

  /** Returns the task, for callers that await it. */
  track<T>(task: Promise<T>): Promise<T> {
    const running: Promise<unknown> = task.catch(() => undefined).finally(() => this.#running.delete(running))
    this.#running.add(running)
    return task
  }

  /** Resolves when no work runs, including work started by running work. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
