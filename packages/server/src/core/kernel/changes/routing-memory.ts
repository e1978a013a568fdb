import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Changes } from '#core/kernel/ports/store/index.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { StoreUnavailable, type Store, type StoreReach } from '#core/kernel/ports/store/index.ts'
import { wrappedReads, type Read } from '../watched-store.ts'
import { rememberedTables } from './routing-answers.ts'

interface RoutingMemoryDeps {
  /** Real time, as for the database. */
  clock: Clock
  reach: StoreReach
  /** True if changes of all processes are notified: unchanged answers stay valid regardless of their age. */
  exact: () => boolean
}

type RoutingTable = (typeof rememberedTables)[number]

const maxAnswers = 50_000
/** Maximum age of answers at the start of an outage, unless every change is notified. */
const oldestMs = 5 * 60_000
/** Maximum duration of an outage during which calls are routed. */
const maxAwayMs = 5 * 60_000
/** Maximum wait of a caller for one answer. */
const timeoutMs = 2_000
/** Wait after which the reachability of the database is checked. */
const suspectAfterMs = 500

interface Answer {
  value: unknown
  readAt: number
  /** Account of the answer; undefined for answers without one, such as a number that is not in service here. */
  accountId: string | undefined
  table: RoutingTable
}

/** Remembers routing answers and serves them while the database is unreachable. Otherwise every query goes to the database. */
export class RoutingMemory {
  readonly #deps: RoutingMemoryDeps
  readonly #answers = new BoundedMap<string, Answer>(maxAnswers)
  /** By account, or by table for answers without an account. */
  readonly #changedAt = new BoundedMap<string, number>(maxAnswers)
  #forgotAt = -Infinity

  constructor(deps: RoutingMemoryDeps) {
    this.#deps = deps
  }

  /** Returns the same store for the call path. */
  over(store: Store): Store {
    return { ...store, read: wrappedReads(store.read, rememberedTables, (...read) => this.#wrap(...read)) }
  }

  /** Called when changes may have been missed. */
  forget(): void {
    this.#answers.clear()
    this.#forgotAt = this.#deps.clock.elapsed()
  }

  /** True if there are answers that are still valid for routing. */
  get leadsCalls(): boolean {
    return this.#answers.size > 0 && this.#deps.reach.awayMs <= maxAwayMs
  }

  /** Drops answers on changes from now on; returns the function that stops it. */
  heed(changes: Changes): () => void {
    const deaf = rememberedTables.map((table) => changes.on(table, (id) => this.#changed(table, id)))
    deaf.push(changes.onDoubt(() => this.forget()))
    return () => deaf.forEach((stop) => stop())
  }

  #changed(table: RoutingTable, id: string): void {
    const now = this.#deps.clock.elapsed()
    this.#changedAt.set(table, now)
    this.#changedAt.set(id, now)
  }

  #wrap(table: RoutingTable, name: string, method: Read): Read {
    return async (...args) => {
      const key = `${table}.${name} ${JSON.stringify(args, withoutMoments)}`
      try {
        const readAt = this.#deps.clock.elapsed()
        const value = await this.#inTime(method(...args))
        this.#answers.set(key, { value, readAt, table, accountId: ownerOf(args[0], value) })
        return value
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        // A single connection may have failed rather than the database.
        if (!(error instanceof TooLate) && (await this.#deps.reach.answers())) return method(...args)
        return this.#recall(key, error)
      }
    }
  }

  #recall(key: string, error: StoreUnavailable): unknown {
    const answer = this.#answers.get(key)
    if (!answer || !this.#counts(answer)) throw error
    return structuredClone(answer.value)
  }

  #counts({ readAt, accountId, table }: Answer): boolean {
    const { clock, reach, exact } = this.#deps
    const { awayMs: reconnectGraceMs } = reach
    const changedAt = this.#changedAt.get(accountId ?? table) ?? -Infinity
    if (readAt <= Math.max(changedAt, this.#forgotAt) || reconnectGraceMs > maxAwayMs) return false
    return exact() || clock.elapsed() - readAt - reconnectGraceMs <= oldestMs
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock, reach } = this.#deps
    const late = Promise.withResolvers<never>()
    const timers = [
      clock.after(suspectAfterMs, () => void reach.answers()),
      clock.after(timeoutMs, () => late.reject(new TooLate(undefined))),
    ]
    try {
      return await Promise.race([work, late.promise])
    } finally {
      for (const cancel of timers) cancel()
    }
  }
}

/** The database may still answer, but the call cannot wait for it. */
class TooLate extends StoreUnavailable {}

/** Numbers above are timestamps. */
const aMoment = 1e12

/** Treats queries as equal regardless of their time. */
const withoutMoments = (_key: string, value: unknown): unknown => (typeof value === 'number' && value > aMoment ? 'now' : value)

/** Methods that touch an account's data take the account first; results of the others name it. */
const ownerOf = (first: unknown, value: unknown): string | undefined => {
  if (typeof first === 'string' && /^\d{7}$/.test(first)) return first
  if (typeof value !== 'object' || value === null || !('accountId' in value)) return undefined
  return String(value.accountId)
}
