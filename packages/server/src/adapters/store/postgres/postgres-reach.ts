import type { StoreReach } from '#core/kernel/ports/store/index.ts'
import { NoAnswerInTime } from './postgres-errors.ts'

interface PostgresReachDeps {
  /** Queries the time over a connection of the pool; rejects on a timeout. */
  ask: () => Promise<number>
  /** The same over a new connection: decides whether the database is reachable. */
  wake: () => Promise<unknown>
  room: number | undefined
  /** It became unavailable: open connections are useless, and so is waiting for them. */
  away: () => void
}

/** Milliseconds for which an answer counts as current. */
const ttlMs = 1_000
const wakeIntervalMs = 1_000

/**
 * Tracks whether PostgreSQL answers: from normal queries, and by its own queries only in doubt, while it is unavailable, and on request. In
 * real time also where tests replace the clock, like the timeouts of connections.
 */
export class PostgresReach implements StoreReach {
  readonly #deps: PostgresReachDeps
  readonly #watchers = new Set<(away: boolean) => void>()
  #answeredAt: number
  #awaySince: number | undefined
  #silent = false
  #finding: Promise<boolean> | undefined
  #asking: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(deps: PostgresReachDeps) {
    this.#deps = deps
    this.#answeredAt = performance.now()
  }

  get room(): number | undefined {
    return this.#deps.room
  }

  async now(): Promise<number> {
    try {
      return await this.#deps.ask()
    } catch (error) {
      await this.doubt()
      throw error
    }
  }

  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : Math.max(1, performance.now() - this.#awaySince)
  }

  /** There is no answer at all, not even a rejection: queries would only take long. */
  get silent(): boolean {
    return this.#awaySince !== undefined && this.#silent
  }

  async answers(): Promise<boolean> {
    if (this.#awaySince !== undefined) return false
    if (this.#finding) return this.#finding
    if (performance.now() - this.#answeredAt < ttlMs) return true
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)))
  }

  watch(notifications: (away: boolean) => void): () => void {
    this.#watchers.add(notifications)
    return () => this.#watchers.delete(notifications)
  }

  /** An answer arrived. */
  answered(): void {
    this.#answeredAt = performance.now()
    if (this.#awaySince === undefined) return
    this.#awaySince = undefined
    clearTimeout(this.#timer)
    this.#notify(false)
  }

  /** A connection broke, or an answer did not come: the cause may be this connection, or the database. */
  doubt(): Promise<boolean> {
    return (this.#finding ??= this.#find().finally(() => (this.#finding = undefined)))
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#watchers.clear()
  }

  #ask(): Promise<boolean> {
    return this.now().then(
      () => true,
      () => this.#awaySince === undefined,
    )
  }

  async #find(): Promise<boolean> {
    try {
      await this.#deps.wake()
      if (!this.#closed) this.answered()
      return true
    } catch (error) {
      this.#silent = error instanceof NoAnswerInTime
      if (!this.#closed) this.#isAway()
      return false
    }
  }

  #isAway(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.doubt(), wakeIntervalMs).unref()
    if (this.#awaySince !== undefined) return
    this.#awaySince = performance.now()
    this.#deps.away()
    this.#notify(true)
  }

  #notify(away: boolean): void {
    for (const notifications of this.#watchers) notifications(away)
  }
}
