import type { SavedCall } from '#core/kernel/ports/store/call.ts'
import { StoreUnavailable, type Store, type Tables } from '#core/kernel/ports/store/index.ts'
import type { TrunkHolder } from '#core/kernel/ports/store/operate.ts'
import type { Lease } from '#core/kernel/ports/store/work.ts'
import type { SimHost, SimTime } from './sim-time.ts'

interface SimStoreOptions {
  time: SimTime
  /** Round trip of a host to the database, in milliseconds. */
  rttMs: (host: SimHost) => number
}

export interface SimJob {
  id: string
  payload: unknown
  dueAt: number
}

interface Answer<T> {
  result: T
  statements: number
}

/** Milliseconds after which an unreachable database is reported. */
const timeoutMs = 5_000
const commitMs = 2

/** The tables that decide who owns a call, in memory, with the semantics of the SQL. Transactions run one after the other. */
export class SimStore {
  readonly #options: SimStoreOptions
  readonly calls = new Map<string, SavedCall>()
  readonly #byOwner = new Map<string, Map<string, SavedCall>>()
  readonly leases = new Map<string, Lease>()
  readonly jobs = new Map<string, SimJob>()
  readonly #trunks = new Map<string, TrunkHolder>()
  /** Regions that do not reach the database. */
  readonly cut = new Set<string>()
  /** Hosts that had no answer last time. */
  readonly #away = new Set<SimHost>()
  readonly #tables: Tables
  #last: Promise<unknown> = Promise.resolve()
  readonly statements = new Map<string, number>()
  transactions = 0
  statementCount = 0

  constructor(options: SimStoreOptions) {
    this.#options = options
    this.#tables = this.#open()
  }

  resetCounts(): void {
    this.statements.clear()
    this.transactions = 0
    this.statementCount = 0
  }

  ownedBy(owner: string): ReadonlyMap<string, SavedCall> {
    return this.#byOwner.get(owner) ?? new Map<string, SavedCall>()
  }

  isAway(host: SimHost): boolean {
    return this.#away.has(host)
  }

  of(host: SimHost): Store {
    const write: Store['write'] = (work) => this.#asked(host, () => this.#transaction(work))
    return { read: this.#reading(host), write, reach: undefined, longReads: undefined, close: () => Promise.resolve() }
  }

  /** Each call of a method is one statement. */
  #reading(host: SimHost): Tables {
    const table = (name: keyof Tables): object =>
      new Proxy(this.#tables[name], {
        get:
          (methods, method) =>
          (...args: unknown[]) =>
            this.#asked(host, async () => {
              const result = await (Reflect.get(methods, method) as (...given: unknown[]) => Promise<unknown>)(...args)
              return { result, statements: 1 }
            }),
      })
    return new Proxy(this.#tables, { get: (_, name) => table(name as keyof Tables) })
  }

  #transaction<T>(work: (tables: Tables) => Promise<T>): Promise<Answer<T>> {
    this.transactions++
    const run = async (): Promise<Answer<T>> => {
      const before = this.statementCount
      const result = await work(this.#tables)
      return { result, statements: this.statementCount - before }
    }
    const done = this.#last.then(run)
    this.#last = done.catch(() => {})
    return done
  }

  #asked<T>(host: SimHost, work: () => Promise<Answer<T>>): Promise<T> {
    const { time, rttMs } = this.#options
    const rtt = rttMs(host)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (this.cut.has(host.region)) {
      time.after(timeoutMs, () => {
        this.#away.add(host)
        host.run(() => reject(new StoreUnavailable(new Error('cut off'))))
      })
      return promise
    }
    const answer = async (): Promise<void> => {
      try {
        const { result, statements } = await work()
        const ms = commitMs + rtt * Math.max(0.5, statements - 0.5)
        time.after(ms, () => {
          this.#away.delete(host)
          host.run(() => resolve(result))
        })
      } catch (error) {
        time.after(rtt / 2, () => host.run(() => reject(error)))
      }
    }
    time.after(rtt / 2, () => void answer())
    return promise
  }

  #count(name: string): void {
    this.statementCount++
    this.statements.set(name, (this.statements.get(name) ?? 0) + 1)
  }

  #move(call: SavedCall, to: string): SavedCall {
    const moved = { ...call, owner: to, epoch: call.epoch + 1 }
    this.#byOwner.get(call.owner)?.delete(call.callId)
    this.#put(moved)
    return moved
  }

  #put(call: SavedCall): void {
    this.calls.set(call.callId, call)
    const owned = this.#byOwner.get(call.owner) ?? new Map<string, SavedCall>()
    this.#byOwner.set(call.owner, owned.set(call.callId, call))
  }

  #held({ callId, owner, epoch }: { callId: string; owner: string; epoch: number }): SavedCall | undefined {
    const call = this.calls.get(callId)
    return call?.owner === owner && call.epoch === epoch ? call : undefined
  }

  #open(): Tables {
    const counted = <T extends object>(name: string, methods: T): T =>
      new Proxy(methods, {
        get: (target, method) => {
          const known = Reflect.get(target, method) as ((...args: unknown[]) => unknown) | undefined
          if (!known) throw new Error(`${name}.${String(method)} is not simulated`)
          return async (...args: unknown[]) => {
            this.#count(`${name}.${String(method)}`)
            return known(...args)
          }
        },
      })
    const tables = {
      runningCalls: counted('runningCalls', this.#runningCalls()),
      leases: counted('leases', this.#leases()),
      trunkHolders: counted('trunkHolders', this.#trunkHolders()),
      sessions: counted('sessions', { claim: () => {} }),
      timelines: counted('timelines', { claim: () => {}, listOpenOf: () => [] }),
      jobs: counted('jobs', { schedule: (job: SimJob) => void this.jobs.set(job.id, job) }),
      devices: counted('devices', { refresh: (list: readonly unknown[]) => list.map(() => []) }),
      history: counted('history', { insert: () => true }),
    }
    return tables as unknown as Tables
  }

  #runningCalls() {
    return {
      open: (call: SavedCall) => {
        if (this.calls.has(call.callId)) return false
        this.#put(call)
        return true
      },
      update: (hold: SavedCall, snapshot: SavedCall['snapshot'], at: number) => {
        const call = this.#held(hold)
        if (call) this.#put({ ...call, snapshot, savedAt: at })
        return call !== undefined
      },
      remove: (hold: SavedCall) => {
        const call = this.#held(hold)
        if (!call) return false
        this.#byOwner.get(call.owner)?.delete(call.callId)
        return this.calls.delete(call.callId)
      },
      claim: (from: string, to: string, { most }: { most: number }) =>
        [...this.ownedBy(from).values()].slice(0, most).map((call) => this.#move(call, to)),
      holderOf: (callId: string) => this.calls.get(callId),
      holdsOf: (owner: string) => [...this.ownedBy(owner).values()].map(({ callId, epoch }) => ({ callId, owner, epoch })),
      listOf: (owner: string, limit: number) => [...this.ownedBy(owner).values()].slice(0, limit),
    }
  }

  #leases() {
    return {
      renew: (lease: Lease) => void this.leases.set(lease.owner, lease),
      find: (owner: string) => this.leases.get(owner),
      listOthers: (owner: string) => [...this.leases.values()].filter((lease) => lease.owner !== owner),
      lock: ({ owner, until }: Lease) => this.leases.get(owner)?.until === until,
      remove: ({ owner, until }: Lease) => {
        if (this.leases.get(owner)?.until === until && this.ownedBy(owner).size === 0) this.leases.delete(owner)
      },
    }
  }

  #trunkHolders() {
    return {
      list: () => [...this.#trunks.values()],
      hold: (ids: readonly string[], by: { owner: string; until: number; now: number; gone: readonly string[] }) => {
        for (const trunkId of ids) {
          const held = this.#trunks.get(trunkId)
          if (held && held.owner !== by.owner && held.until >= by.now && !by.gone.includes(held.owner)) continue
          this.#trunks.set(trunkId, { ...held, trunkId, owner: by.owner, until: by.until } as TrunkHolder)
        }
      },
      release: () => {},
    }
  }
}
