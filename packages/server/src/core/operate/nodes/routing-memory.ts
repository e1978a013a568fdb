import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Changes } from '#core/kernel/ports/changes.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { StoreUnavailable, type Store, type StoreReach, type Tables } from '#core/kernel/ports/store/index.ts'
import { wrappedReads, type Read } from './wrapped-reads.ts'

export interface RoutingMemoryDeps {
  /** In real time, as the database is. */
  clock: Clock
  reach: StoreReach
  /** Every change is heard of, here and in other processes: what was not changed is true however long ago it was read. */
  exact: () => boolean
}

/** What calls are led by. Money and what was said are not among it: they are asked for, or not there. */
const tables = [
  'accounts',
  'addresses',
  'devices',
  'extensions',
  'faxlines',
  'flows',
  'groups',
  'numbers',
  'phonelines',
  'pushSecrets',
  'pushSettings',
  'routingRules',
  'schedules',
  'trunks',
  'users',
  'voicemails',
] as const satisfies (keyof Tables)[]

type RoutingTable = (typeof tables)[number]

const maxAnswers = 50_000
/** What was read longer before the database went away does not count, unless every change is heard of. */
const oldestMs = 5 * 60_000
/** For so long calls go on without the database. */
const maxAwayMs = 5 * 60_000
/** A caller does not wait longer for one answer … */
const timeoutMs = 2_000
/** … and when it takes this long, it is found out whether any will come. */
const suspectAfterMs = 500

interface Answer {
  value: unknown
  readAt: number
  /** Whose it is; undefined for what belongs to nobody, such as a number that is not in service here. */
  accountId: string | undefined
  table: RoutingTable
}

/**
 * Remembers what calls were led by, and answers with it while the database is away. As long as the database answers, every question is put to
 * the database.
 */
export class RoutingMemory {
  readonly #deps: RoutingMemoryDeps
  readonly #answers = new BoundedMap<string, Answer>(maxAnswers)
  /** By account, or by table for what belongs to nobody. */
  readonly #changedAt = new BoundedMap<string, number>(maxAnswers)
  #forgotAt = -Infinity

  constructor(deps: RoutingMemoryDeps) {
    this.#deps = deps
  }

  /** The same store for the path of calls. */
  over(store: Store): Store {
    return { ...store, read: wrappedReads(store.read, tables, (...read) => this.#wrap(...read)) }
  }

  /** Changes may have been missed. */
  forget(): void {
    this.#answers.clear()
    this.#forgotAt = this.#deps.clock.elapsed()
  }

  /** There is something to lead calls by, and it still counts. */
  get leadsCalls(): boolean {
    return this.#answers.size > 0 && this.#deps.reach.awayMs <= maxAwayMs
  }

  /** From now on what changes is forgotten; returns how to stop that. */
  heed(changes: Changes): () => void {
    const deaf = tables.map((table) => changes.on(table, (id) => this.#changed(table, id)))
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
        // One connection may have broken, and not the database.
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
    const timers = [clock.after(suspectAfterMs, () => void reach.answers()), clock.after(timeoutMs, () => late.reject(new TooLate(undefined)))]
    try {
      return await Promise.race([work, late.promise])
    } finally {
      for (const cancel of timers) cancel()
    }
  }
}

/** The database may still answer, but the call cannot wait for it. */
class TooLate extends StoreUnavailable {}

/** Beyond any number that is not a moment. */
const aMoment = 1e12

/** A question is the same whenever it is asked. */
const withoutMoments = (_key: string, value: unknown): unknown => (typeof value === 'number' && value > aMoment ? 'now' : value)

/** Accounts stand first in every method that touches their data; the others find something and say whose it is. */
const ownerOf = (first: unknown, value: unknown): string | undefined => {
  if (typeof first === 'string' && /^\d{7}$/.test(first)) return first
  if (typeof value !== 'object' || value === null || !('accountId' in value)) return undefined
  return String(value.accountId)
}
