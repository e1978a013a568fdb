import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Changes } from '#core/kernel/ports/changes.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { withWrites } from '#core/kernel/watched-writes.ts'
import { wrappedReads, type Read } from './wrapped-reads.ts'

export interface RecentAnswersParts {
  /** In real time, as the database is. */
  clock: Clock
  bus: Pick<Bus, 'alone' | 'connected'>
  changes: Changes
}

/** What calls are led by and what changes seldom. Where phones are, money and what was said are asked for each time. */
const tables = [
  'accounts',
  'addresses',
  'extensions',
  'faxlines',
  'flows',
  'groups',
  'numbers',
  'phonelines',
  'pushSecrets',
  'pushSettings',
  'users',
  'voicemails',
] as const satisfies (keyof Tables)[]

/** What changes with every call, message and registration, and leads none. */
const traffic: ReadonlySet<string> = new Set<keyof Tables>([
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
  'recordings',
  'runningCalls',
  'sessions',
  'timelines',
  'tokens',
])
/** Methods that change nothing, or only where phones are and how they sound. */
const harmless =
  /^(find|list|has|lock|hold|count|page|features|languages|members|devices|greetings|forwardedFrom|outboundReviews|register|unregister|refresh|moveRegistrations|registrations|registeredFlows|noteSound|forgetSound|phonelines|groups)/
const mostAnswers = 20_000
/** How long an answer counts while all processes tell what they change … */
const heardMs = 30_000
/** … and when another one may change something without being heard. */
const unheardMs = 2_000

interface Answer {
  value: unknown
  readAt: number
}

/**
 * The same questions are asked for every call, and several times in one: what was answered a moment ago is not asked for again. Everything is
 * forgotten as soon as a transaction changes anything that calls may be led by, here or in another process.
 */
export class RecentAnswers {
  readonly #parts: RecentAnswersParts
  readonly #answers = new BoundedMap<string, Answer>(mostAnswers)
  readonly #leave: (() => void)[]
  /** How often everything was forgotten: what was asked before that does not count. */
  #forgotten = 0

  constructor(parts: RecentAnswersParts) {
    this.#parts = parts
    const forget = (): void => this.#forget()
    this.#leave = [parts.changes.on('accounts', forget), parts.changes.onDoubt(forget)]
  }

  /** The same store, whose transactions are noticed. */
  watch(store: Store): Store {
    return withWrites(store, async (work) => {
      let touched = false
      const note = (): void => void (touched = true)
      try {
        return await store.write((given) => work(noting(given, note)))
      } finally {
        if (touched) this.#tell()
      }
    })
  }

  /** The same store for the path of calls. */
  over(store: Store): Store {
    return { ...store, read: wrappedReads(store.read, tables, (table, name, method) => this.#wrap(`${table}.${name}`, method)) }
  }

  close(): Promise<void> {
    for (const leave of this.#leave) leave()
    return Promise.resolve()
  }

  #tell(): void {
    this.#forget()
    this.#parts.changes.tell('accounts', '')
  }

  #forget(): void {
    this.#forgotten++
    this.#answers.clear()
  }

  #wrap(name: string, method: Read): Read {
    return async (...args) => {
      const key = `${name} ${JSON.stringify(args)}`
      const readAt = this.#parts.clock.elapsed()
      const recent = this.#answers.get(key)
      if (recent && readAt - recent.readAt <= this.#countsMs) return structuredClone(recent.value)
      const before = this.#forgotten
      const value = await method(...args)
      // What is not there may come at any moment, and is not asked for again and again.
      if (value !== undefined && before === this.#forgotten) this.#answers.set(key, { value: structuredClone(value), readAt })
      return value
    }
  }

  get #countsMs(): number {
    const { alone, connected } = this.#parts.bus
    return !alone && connected ? heardMs : unheardMs
  }
}

/** Tells when something is changed that calls may be led by. */
const noting = (given: Tables, note: () => void): Tables =>
  new Proxy(given, {
    get(target, name, receiver) {
      const table = Reflect.get(target, name, receiver) as object
      return typeof name !== 'string' || traffic.has(name) ? table : notingTable(table, note)
    },
  })

const notingTable = (given: object, note: () => void): object =>
  new Proxy(given, {
    get(target, name, receiver) {
      if (typeof name === 'string' && !harmless.test(name)) note()
      return Reflect.get(target, name, receiver) as unknown
    },
  })
