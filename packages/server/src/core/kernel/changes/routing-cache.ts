import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Changes, Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { notingTables, withWrites, wrappedReads, type Read } from '#core/kernel/watched-store.ts'
import { cachedTables, invalidatesRouting, isCached } from './routing-answers.ts'

interface RoutingCacheDeps {
  /** Real time, as for the database. */
  clock: Clock
  changes: Changes
  /** True if changes of all processes are notified. */
  heard: () => boolean
}

const maxAnswers = 20_000
/** TTL in milliseconds while all changes are notified. */
const heardMs = 30_000
/** TTL in milliseconds while another process may change data unnoticed. */
const unheardMs = 2_000

interface Answer {
  value: unknown
  readAt: number
}

/**
 * Caches the queries that repeat for every call, and several times within one. The whole cache is invalidated as soon as a transaction
 * changes routing data, in any process.
 */
export class RoutingCache {
  readonly #deps: RoutingCacheDeps
  readonly #answers = new BoundedMap<string, Answer>(maxAnswers)
  readonly #leave: (() => void)[]
  /** Invalidation counter: answers to earlier queries are not cached. */
  #forgotten = 0

  constructor(deps: RoutingCacheDeps) {
    this.#deps = deps
    const forget = (): void => this.#forget()
    this.#leave = [deps.changes.on('accounts', forget), deps.changes.onDoubt(forget)]
  }

  /** Returns the same store with transactions tracked. */
  watch(store: Store): Store {
    const noting = notingTables<{ touched: boolean }>(noted)
    return withWrites(store, async (work, patient) => {
      const notes = { touched: false }
      try {
        return await store.write((given) => work(noting(given, notes)), patient)
      } finally {
        if (notes.touched) this.#notify()
      }
    })
  }

  /** Returns the same store with cached answers of these tables. Answers are immutable, because all readers share them. */
  over(store: Store, names = cachedTables): Store {
    const wrap = (table: string, name: string, method: Read): Read =>
      isCached(table, name) ? this.#wrap(`${table}.${name}`, method) : method
    return { ...store, read: wrappedReads(store.read, names, wrap) }
  }

  close(): Promise<void> {
    for (const leave of this.#leave) leave()
    return Promise.resolve()
  }

  #notify(): void {
    this.#forget()
    this.#deps.changes.notify('accounts', '')
  }

  #forget(): void {
    this.#forgotten++
    this.#answers.clear()
  }

  #wrap(name: string, method: Read): Read {
    return async (...args) => {
      const key = keyOf(name, args)
      const readAt = this.#deps.clock.elapsed()
      const recent = this.#answers.get(key)
      if (recent && readAt - recent.readAt <= (this.#deps.heard() ? heardMs : unheardMs)) return recent.value
      const before = this.#forgotten
      const value = frozen(await method(...args))
      // Missing rows are not cached: they may appear at any moment, and are not queried repeatedly.
      if (value !== undefined && before === this.#forgotten) this.#answers.set(key, { value, readAt })
      return value
    }
  }
}

/** Most queries have one string argument, which is unambiguous without quotes. */
const keyOf = (name: string, args: unknown[]): string =>
  args.length === 1 && typeof args[0] === 'string' ? `${name}=${args[0]}` : `${name} ${JSON.stringify(args)}`

/** Tracks changes of routing data. */
const noted = (given: Tables, notes: () => { touched: boolean }): Tables =>
  Object.fromEntries(
    Object.entries(given).map(([table, methods]) => [table, notedTable(table, methods as Methods, () => (notes().touched = true))]),
  ) as unknown as Tables

type Methods = Record<string, (...args: unknown[]) => unknown>

const notedTable = (table: string, methods: Methods, note: () => void): Methods => {
  const telling = Object.entries(methods).filter(([name]) => invalidatesRouting(table, name))
  const changed = telling.map(([name, method]): [string, Methods[string]] => [
    name,
    (...args) => {
      note()
      return method(...args)
    },
  ])
  return changed.length === 0 ? methods : { ...methods, ...Object.fromEntries(changed) }
}

/** Freezes deeply. */
const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) for (const one of value.values()) frozen(one)
  else for (const one of Object.values(value)) frozen(one)
  return Object.freeze(value)
}
