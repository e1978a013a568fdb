import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Changes } from '#core/kernel/ports/changes.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { notingTables, withWrites } from '#core/kernel/watched-writes.ts'
import { wrappedReads, type Read } from './wrapped-reads.ts'

export interface RecentAnswersDeps {
  /** In real time, as the database is. */
  clock: Clock
  changes: Changes
  /** Whoever changes something is heard of, here and in other processes. */
  heard: () => boolean
}

/** What calls are led by and what changes seldom. Where phones are, money and what was said are asked for each time. */
const remembered: { [T in keyof Tables]?: 'all' | readonly (keyof Tables[T])[] } = {
  accounts: 'all',
  addresses: 'all',
  contacts: ['findNames'],
  devices: ['find', 'list', 'listByOwner', 'phonelines', 'groups'],
  extensions: 'all',
  faxlines: 'all',
  flows: 'all',
  groups: 'all',
  numbers: 'all',
  phonelines: 'all',
  pushSecrets: 'all',
  pushSettings: 'all',
  routingRules: 'all',
  schedules: 'all',
  users: 'all',
  voicemails: 'all',
}

/** What changes with every call, message and registration, and leads none. */
const traffic: ReadonlySet<string> = new Set<keyof Tables>([
  'assistants',
  'attempts',
  'audit',
  'balances',
  'deliveries',
  'dueTimes',
  'faxes',
  'history',
  'idempotency',
  'jobs',
  'lampWatches',
  'leases',
  'limits',
  'messages',
  'metrics',
  'nodes',
  'oidcRecords',
  'outbox',
  'pushExchanges',
  'pushSubscriptions',
  'recordings',
  'results',
  'runningCalls',
  'sessions',
  'statements',
  'timelines',
  'tokens',
  'usages',
])
/** Methods that change nothing, or only where phones are and how they sound, by which no call is led. */
const harmless =
  /^(find|list|has|lock|hold|count|page|features|languages|members|devices|greetings|forwardedFrom|outboundReviews|register|unregister|refresh|moveRegistrations|registrations|registeredFlows|noteSound|forgetSound|phonelines|groups)/

/** A question whose answer is remembered. */
export const isRemembered = (table: string, method: string): boolean => {
  const methods: 'all' | readonly string[] = remembered[table as keyof typeof remembered] ?? []
  return methods === 'all' || methods.includes(method)
}

/** A transaction that calls it may change what calls are led by. What is new here and not named counts as such. */
export const invalidatesRouting = (table: string, method: string): boolean => !traffic.has(table) && !harmless.test(method)

const maxAnswers = 20_000
/** How long an answer counts while everybody tells what they change … */
const heardMs = 30_000
/** … and when another process may change something without being heard. */
const unheardMs = 2_000

interface Answer {
  value: unknown
  readAt: number
}

/**
 * The same questions are asked for every call, and several times in one: what was answered a moment ago is not asked for again. Everything is
 * forgotten as soon as a transaction changes anything that calls may be led by, here or in another process.
 */
export class RoutingCache {
  readonly #deps: RecentAnswersDeps
  readonly #answers = new BoundedMap<string, Answer>(maxAnswers)
  readonly #leave: (() => void)[]
  /** How often everything was forgotten: what was asked before that does not count. */
  #forgotten = 0

  constructor(deps: RecentAnswersDeps) {
    this.#deps = deps
    const forget = (): void => this.#forget()
    this.#leave = [deps.changes.on('accounts', forget), deps.changes.onDoubt(forget)]
  }

  /** The same store, whose transactions are noticed. */
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

  /** The same store, which remembers what these tables answered. The answers cannot be changed, because all who ask get the same ones. */
  over(store: Store, names = Object.keys(remembered) as (keyof typeof remembered)[]): Store {
    const wrap = (table: string, name: string, method: Read): Read =>
      isRemembered(table, name) ? this.#wrap(`${table}.${name}`, method) : method
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
      // What is not there may come at any moment, and is not asked for again and again.
      if (value !== undefined && before === this.#forgotten) this.#answers.set(key, { value, readAt })
      return value
    }
  }
}

/** Most questions name one thing, which needs no quotes to be told from others. */
const keyOf = (name: string, args: unknown[]): string =>
  args.length === 1 && typeof args[0] === 'string' ? `${name}=${args[0]}` : `${name} ${JSON.stringify(args)}`

/** Tells when something is changed that calls may be led by. */
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

/** As deep as it goes. */
const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) for (const one of value.values()) frozen(one)
  else for (const one of Object.values(value)) frozen(one)
  return Object.freeze(value)
}
