import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CallClock } from '#adapters/clock/clocks.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { Calls } from '#core/telephone/call/state/calls.ts'
import { Leases } from '#core/kernel/work/leases.ts'
import { Tasks } from '#core/kernel/work/worker.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { noGuide, type CallGuide } from '#core/kernel/ports/calls.ts'
import type { CallFacts } from '#core/kernel/ports/calls.ts'
import type { FlowRuntime } from '#core/kernel/ports/assistant.ts'
import type { NewDevice } from '#core/kernel/ports/store/device.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { IncomingCall } from '#core/kernel/ports/telephony.ts'
import { mayRecord } from '#core/telephone/recordings/recording-room.ts'
import { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { EdgeAttempts } from '#core/telephone/routing/inbound/edge-attempts.ts'
import { CallRouter } from '#core/telephone/routing/call-router.ts'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import { openTestStore, type Database } from '../store/databases.ts'
import { faxIntake } from '#core/messages/fax/receiving/fax-intake.ts'
import { ScriptedPapers } from '../ports/scripted-papers.ts'
import { ScriptedRecordings } from '../ports/scripted-recordings.ts'
import { ScriptedAssistant } from './scripted-assistant.ts'
import { Outside } from '../chance/outside.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'
import { ScriptedTelephony } from '../ports/scripted-telephony.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

/** Customer with one user, whose phone line `line` has the number `number` and one registered phone. */
export interface Customer {
  accountId: string
  userId: string
  deviceId: string
  line: string
  number: string
}

/** Number in another network. */
export const outsideNumber = '+4921163554444'
export const callers = { number: outsideNumber, name: '', withheld: false }
export const anonymousCaller = { number: undefined, name: '', withheld: true }

/** Initial balance: 50.00. */
const wealth = 500_000

/** Recording quota in bytes. */
export const quota = 1_000_000

/** Global counter: several exchanges may share a store. */
let numbers = 0

/** The rules of calls on a real store, with scripted phones and virtual time. */
export class Exchange {
  readonly store: Store
  /** The same store, but every request is counted, may fail, and is awaited. */
  readonly watched: Store
  readonly clock: VirtualClock
  readonly outside = new Outside()
  readonly telephony: ScriptedTelephony
  readonly calls = new Calls()
  readonly recordings = new ScriptedRecordings()
  readonly papers = new ScriptedPapers()
  readonly leases: Leases
  readonly timelines: LiveTimelines
  readonly callRouter: CallRouter
  readonly failures: unknown[] = []
  readonly changes: [string, CallFacts][] = []
  readonly #under = new Set<Promise<unknown>>()
  /** Seconds after which an order may be repeated, while this machine is overloaded. */
  overloadedSeconds: number | undefined
  #gone = false

  constructor(
    store: Store,
    flows: FlowRuntime,
    guide: CallGuide = noGuide,
    transferBy: 'bridge' | 'refer' = 'bridge',
    keepsTimelines = false,
    startAt?: number,
    attempts?: EdgeAttempts,
  ) {
    this.store = store
    this.clock = new VirtualClock(startAt, () => this.#quiet())
    this.telephony = new ScriptedTelephony(this.clock, this.outside)
    this.watched = this.#watch(store)
    const onFailure = (error: unknown): void => void this.failures.push(error)
    const clock = new CallClock(this.clock)
    clock.talks = () => this.callRouter.size > 0 || this.leases.size > 0
    this.leases = new Leases({ store: this.watched, clock, tasks: new Tasks(), onFailure, shared: true })
    const { owner } = this.leases
    this.timelines = new LiveTimelines({
      store: this.watched,
      clock,
      owner,
      keeps: keepsTimelines,
      onError: onFailure,
    })
    this.callRouter = new CallRouter({
      store: this.watched,
      clock,
      telephony: this.telephony,
      calls: this.calls,
      flows,
      rejects: (isEmergency) => (isEmergency() ? undefined : this.overloadedSeconds),
      guide,
      recordingFiles: this.recordings,
      faxes: (books) => faxIntake({ ...books, leases: this.leases, wake: () => {}, files: this.papers }),
      mayRecord: mayRecord(this.watched, this.recordings, quota),
      country: 'DE',
      transferBy,
      observers: [{ changed: (call, what) => this.changes.push([what, call]) }],
      leases: this.leases,
      attempts,
      timelines: this.timelines,
      wake: () => {},
      onFailure,
    })
    this.telephony.onIncoming((call) => void this.callRouter.incoming(call))
  }

  /** Resolves when everything that needs no time has happened. */
  rest(): Promise<void> {
    return this.clock.advance(0)
  }

  seconds(seconds: number): Promise<void> {
    return this.clock.advance(seconds * 1000)
  }

  async newCustomer({ money = wealth, tariff = true, country = 'DE' } = {}): Promise<Customer> {
    const number = `+49211555${String(++numbers).padStart(5, '0')}`
    return this.store.write(async (tables) => {
      const tariffId = tariff ? await openTariff(tables, this.clock, { currency: 'EUR' }) : undefined
      const input = { company: 'Example', country, locale: 'de_DE', currency: 'EUR' } as const
      const accountId = await createAccount(tables, this.clock, { ...input, ...(tariffId !== undefined && { tariffId }) })
      if (money > 0) await pay(tables, this.clock, accountId, money)
      const userId = await this.addUser(tables, accountId)
      const [line] = await tables.phonelines.list(accountId, userId)
      assert.ok(line)
      assert.ok(await tables.numbers.insert(accountId, { ...aNumber(number), endpointId: line.id }))
      const deviceId = await this.addDevice(tables, accountId, userId)
      return { accountId, userId, deviceId, line: line.id, number }
    })
  }

  addUser(tables: Tables, accountId: string): Promise<string> {
    const names = { firstname: 'Ada', lastname: 'Lovelace', email: `${randomUUID()}@example.com` }
    return createUser(tables, this.clock, accountId, { ...names, passwordHash: 'none', admin: false, locale: 'de_DE' })
  }

  /** Rings with all lines of its owner; a REGISTER device is registered. */
  async addDevice(tables: Tables, accountId: string, owner: string, more: Partial<NewDevice> = {}): Promise<string> {
    const id = await tables.devices.insert(accountId, { owner, alias: 'Desk', type: 'REGISTER', at: this.clock.now(), ...more })
    for (const line of await tables.phonelines.list(accountId, owner)) await tables.phonelines.addDevice(accountId, line.id, id)
    if (more.type === undefined || more.type === 'REGISTER') this.telephony.register(accountId, id)
    return id
  }

  async addTrunk(input: Partial<TrunkSettings> & { active?: boolean } = {}): Promise<string> {
    const { active = true, ...settings } = input
    const at = this.clock.now() + ++numbers // increasing, so that the order of creation is known
    const id = randomUUID()
    const full = trunkSettings({ host: 'carrier.example', callsPerSecond: 100, maxCalls: 100, ...settings }, { hasPassword: false })
    const trunk = { id, name: 'Carrier', settings: full, passwordSealed: undefined, active, createdAt: at, updatedAt: at }
    await this.store.write((tables) => tables.trunks.insert(trunk))
    return id
  }

  /** Call from another network; resolves after its immediate effects. */
  async callIn(number: string, more: Partial<IncomingCall> = {}): Promise<ScriptedLeg> {
    const leg = this.telephony.arrives({ kind: 'trunk', trunkId: 'carrier' }, number, { caller: callers, ...more })
    await this.rest()
    return leg
  }

  /** Call from a customer's phone. */
  async callFrom({ accountId, deviceId }: Customer, dialled: string, more: Partial<IncomingCall> = {}): Promise<ScriptedLeg> {
    const leg = this.telephony.arrives({ kind: 'device', accountId, deviceId }, dialled, more)
    await this.rest()
    return leg
  }

  /** Latest outbound legs that have not ended. */
  get ringing(): ScriptedLeg[] {
    return this.telephony.alive.filter(({ answered }) => !answered)
  }

  /** The only ringing phone. */
  get phone(): ScriptedLeg {
    const [leg, ...others] = this.ringing
    assert.ok(leg, 'nobody rings')
    assert.equal(others.length, 0, 'several ring')
    return leg
  }

  async history({ accountId }: { accountId: string }): Promise<HistoryEntry[]> {
    return this.store.read.history.list(accountId, {}, { offset: 0, limit: 100 })
  }

  /** The only entry of the account. */
  async entry(of: { accountId: string }): Promise<HistoryEntry> {
    const entries = await this.history(of)
    assert.equal(entries.length, 1)
    return entries[0] ?? assert.fail()
  }

  async money({ accountId }: { accountId: string }): Promise<{ spent: number; reserved: number }> {
    const balance = await this.store.read.balances.find(accountId)
    return { spent: wealth - (balance?.amount ?? 0), reserved: balance?.reserved ?? 0 }
  }

  /** End of the last call. */
  get lastEnd(): CallFacts['end'] {
    return this.changes.findLast(([what]) => what === 'ended')?.[1].end
  }

  /** Simulates a crash: the process no longer reaches the store. */
  crash(): void {
    this.#gone = true
  }

  get gone(): boolean {
    return this.#gone
  }

  async close(): Promise<void> {
    if (this.#gone) return
    await this.callRouter.hangUpAll()
    assert.equal(this.callRouter.size, 0)
    await this.timelines.close()
    assert.deepEqual(
      this.telephony.called.filter(({ over }) => !over).map(({ log }) => log),
      [],
      'a leg was left alone',
    )
    assert.equal(this.clock.pending(), 0, 'timers are left')
  }

  async #quiet(): Promise<void> {
    do {
      await Promise.all(this.#under)
      for (let turn = 0; turn < 3; turn++) await setImmediate()
    } while (this.#under.size > 0)
  }

  #watch(store: Store): Store {
    const request = <T>(what: string, work: () => Promise<T>): Promise<T> => {
      if (this.#gone) return new Promise(() => {})
      const running = Promise.resolve().then(async () => {
        if (what === 'write' && this.outside.loseAnswer) return this.outside.stepAfter(what, work)
        this.outside.step(what)
        return work()
      })
      const settled = running.catch(() => undefined).finally(() => this.#under.delete(settled))
      this.#under.add(settled)
      return running
    }
    const table = (name: string, methods: object): object =>
      new Proxy(methods, {
        get: (target, method: string) => {
          const value: unknown = Reflect.get(target, method)
          if (typeof value !== 'function') return value
          return (...args: unknown[]) => request(`read.${name}.${method}`, () => Reflect.apply(value, target, args) as Promise<unknown>)
        },
      })
    const tables = Object.entries(store.read).map(([name, methods]) => [name, table(name, methods as object)] as const)
    return {
      read: Object.fromEntries(tables) as unknown as Tables,
      write: (work) => request('write', () => store.write(work)),
      reach: undefined,
      longReads: undefined,
      close: () => store.close(),
    }
  }
}

export interface ExchangeOptions {
  database?: Database
  flows?: FlowRuntime
  guide?: CallGuide
  transferBy?: 'bridge' | 'refer'
  /** Records timelines of calls. */
  keepsTimelines?: boolean
  attempts?: EdgeAttempts
}

export const openExchange = async (
  t: TestContext,
  { database = 'sqlite', flows = new ScriptedAssistant(), guide, transferBy, keepsTimelines, attempts }: ExchangeOptions = {},
): Promise<Exchange> => {
  let exchange: Exchange | undefined
  // Registered first, so that it runs before the store is closed.
  t.after(() => exchange?.close())
  exchange = new Exchange(await openTestStore(t, database), flows, guide, transferBy, keepsTimelines, undefined, attempts)
  return exchange
}

export const aNumber = (e164: string) => ({ id: randomUUID(), e164, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 }) as const

export const pay = (tables: Tables, clock: VirtualClock, accountId: string, amount: number): Promise<unknown> =>
  topUp(tables, clock, { accountId, amount, reason: 'cash', idempotencyKey: randomUUID(), actor: 'test' })
