import type { Rate } from '#core/kernel/ports/store/money.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { databases, openTestStore, type Database } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { topUp } from '#core/money/funds.ts'
import { paidSeconds, reserveCall } from '#core/money/reservations.ts'
import type { Payer } from '#core/money/rates.ts'
import { callCost } from '#core/money/rating.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Meter } from './meter.ts'
import { Prepaid, settleMeter, type Payments, type SavedMeter } from './prepaid.ts'
import { Tasks } from '#core/kernel/work/worker.ts'

const runs: Record<Database, number> = { sqlite: 40, postgres: 10 }
const numbers = ['+49211635', '+49151123']

const anyRate: fc.Arbitrary<Rate> = fc.record({
  connectFee: fc.constantFrom(0, 0, 500),
  ratePerMinute: fc.constantFrom(0, 190, 990, 6_000),
  minSeconds: fc.constantFrom(0, 1, 30, 60),
  incrementSeconds: fc.constantFrom(1, 6, 60),
  perUnit: fc.constant(0),
  blocked: fc.constant(false),
})

type Step =
  | { do: 'wait'; ms: number }
  | { do: 'answer' | 'hang up'; leg: number }
  | { do: 'pay in'; amount: number }
  | { do: 'lose the database' | 'find the database' | 'crash' }

const anyLeg = fc.integer({ min: 0, max: 1 })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 90_000 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), leg: anyLeg }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hang up' as const), leg: anyLeg }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pay in' as const), amount: fc.integer({ min: 1, max: 5_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lose the database', 'find the database', 'crash') }) },
)

const anyCourse = fc.record({
  rates: fc.tuple(anyRate, anyRate),
  people: fc.integer({ min: 1, max: 2 }),
  money: fc.integer({ min: 0, max: 12_000 }),
  /** Share of the remaining paid time that the parties use after the notice. */
  obedience: fc.constantFrom(0, 0.3, 1),
  steps: fc.array(anyStep, { minLength: 4, maxLength: 25 }),
})
type Course = typeof anyCourse extends fc.Arbitrary<infer T> ? T : never

/** A reservation and the actual talk time it pays for. */
class Line {
  readonly clock: VirtualClock
  readonly money: Prepaid
  readonly #store: Store
  readonly #meters: Meter[]
  readonly #talked: { from: number; to: number | undefined }[] = []
  readonly #obedience: number
  #away = false
  #lost: { meter: SavedMeter; at: number } | undefined

  constructor(store: Store, clock: VirtualClock, tasks: Tasks, held: ConstructorParameters<typeof Prepaid>[1], course: Course) {
    this.#store = store
    this.clock = clock
    this.#obedience = course.obedience
    const write: Store['write'] = (work) => (this.#away ? Promise.reject(new Error('away')) : store.write(work))
    const books = { store: { ...store, write }, clock, tasks, closing: new AbortController().signal, onFailure: () => {} }
    this.money = new Prepaid(books, held, () => {})
    const payments: Payments = {
      runsOut: (ms) => void clock.after(Math.floor(ms * this.#obedience), () => this.end()),
      unknown: () => this.end(),
      isOurs: () => Promise.resolve(true),
    }
    this.#meters = Array.from({ length: course.people }, () => new Meter(this.money))
    for (const meter of this.#meters) meter.notify(payments)
    this.money.keep()
  }

  async take(step: Step, payIn: (amount: number) => Promise<unknown>): Promise<void> {
    if (step.do === 'wait') return this.clock.advance(step.ms)
    if (step.do === 'answer') this.#answer(step.leg)
    if (step.do === 'hang up') this.#hangUp(step.leg)
    if (step.do === 'pay in') await payIn(step.amount)
    if (step.do === 'lose the database') this.#away = true
    if (step.do === 'find the database') this.#away = false
    if (step.do === 'crash') this.#crash()
  }

  end(): void {
    for (const leg of this.#meters.keys()) this.#hangUp(leg)
    this.money.abandon()
  }

  /** Settles three times concurrently. */
  async settle(): Promise<void> {
    const settle = this.#lost
      ? (): Promise<void> => this.#store.write((tables) => settleMeter(tables, this.clock, this.#lost!.meter, this.#lost!.at))
      : (): Promise<void> => this.#store.write((tables) => this.money.settle(tables))
    await Promise.all([settle(), settle(), settle()])
  }

  /** Cost of the legs, each for the whole seconds elapsed; at least one second for an answered leg. */
  cost(rates: readonly Rate[]): number {
    const costs = rates.map((rate, leg) => {
      const { from, to = 0 } = this.#talked[leg] ?? {}
      return from === undefined ? 0 : callCost(rate, Math.max(1, Math.floor((to - from) / 1000)))
    })
    return costs.reduce((sum, one) => sum + one, 0)
  }

  #answer(leg: number): void {
    const meter = this.#meters[leg]
    if (!meter || meter.startedAt !== undefined || meter.stoppedAt !== undefined) return
    meter.start()
    this.#talked[leg] = { from: this.clock.now(), to: undefined }
  }

  #hangUp(leg: number): void {
    this.#meters[leg]?.stop()
    const talk = this.#talked[leg]
    if (talk) talk.to ??= this.clock.now()
  }

  /** Only the saved state survives. */
  #crash(): void {
    this.#lost ??= { meter: JSON.parse(JSON.stringify(this.money.saved)) as SavedMeter, at: this.clock.now() }
    this.end()
  }
}

const play = async (store: Store, course: Course): Promise<void> => {
  const tasks = new Tasks()
  const clock = new VirtualClock(undefined, () => tasks.idle())
  const [tariffId, sessionId] = [randomUUID(), randomUUID()]
  const rates = course.rates.slice(0, course.people)
  const accountId = await store.write(async (tables) => {
    await tables.tariffs.insert({ id: tariffId, name: 'Any', currency: 'EUR', createdAt: 0 })
    for (const [leg, rate] of rates.entries())
      await tables.tariffs.insertRate(tariffId, {
        ...rate,
        service: 'CALL',
        prefix: numbers[leg]!.slice(1),
        validFrom: 0,
        validUntil: undefined,
      })
    return createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
  })
  let paidIn = 0
  const payIn = (amount: number): Promise<unknown> => {
    paidIn += amount
    return store.write((tables) => topUp(tables, clock, { accountId, amount, reason: 'r', idempotencyKey: randomUUID(), actor: 'test' }))
  }
  if (course.money > 0) await payIn(course.money)
  const payer: Payer = { id: accountId, tariffId, country: 'DE' }
  const input = { payer, sessionId, purpose: 'CALL', destinations: numbers.slice(0, course.people) } as const
  const reserving = store.write((tables) => reserveCall(tables, clock, input))
  const reservation = await reserving.catch((error: unknown) => {
    assert.ok(error instanceof Problem && error.code === 'insufficient_funds')
    assert.ok(course.money < rates.reduce((sum, rate) => sum + callCost(rate, 1), 0), 'enough for the first pulses')
  })
  const line = reservation && new Line(store, clock, tasks, { accountId, sessionId, paid: paidSeconds(reservation), ordered: true }, course)
  for (const step of course.steps) await line?.take(step, payIn)
  line?.end()
  await tasks.idle()
  await line?.settle()

  const balance = (await store.read.balances.find(accountId)) ?? assert.fail()
  const entries = await store.read.balances.listEntries(accountId, { limit: 100 })
  const taken = entries.filter((entry) => entry.sessionId === sessionId)
  assert.equal(paidIn - balance.amount, line?.cost(rates) ?? 0, 'every leg for the time that it talked, not more and not less')
  assert.equal(
    entries.reduce((sum, { amount }) => sum + amount, 0),
    balance.amount,
    'the balance is the sum of the ledger',
  )
  assert.ok(taken.length <= 1, 'taken once')
  assert.deepEqual([balance.amount >= 0, balance.reserved], [true, 0])
  await clock.advance(0)
  await clock.jump(60_000)
  assert.equal(clock.pending(), 0, 'no timer is left')
}

for (const database of databases)
  test(`${database}: charges each leg exactly for its talk time and never overdraws the balance`, async (t) => {
    const store = await openTestStore(t, database)
    await fc.assert(
      fc.asyncProperty(anyCourse, (course) => play(store, course)),
      { numRuns: runs[database], seed: 20_261_115 },
    )
  })

test('charges a party to the end when its call lasts longer than four hours after waiting or a transfer', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const rate: Rate = { connectFee: 0, ratePerMinute: 990, minSeconds: 60, incrementSeconds: 60, perUnit: 0, blocked: false }
  const steps: Step[] = [
    { do: 'answer', leg: 0 },
    { do: 'wait', ms: 59_000 },
    { do: 'answer', leg: 1 },
    { do: 'wait', ms: 5 * 60 * 60 * 1000 },
  ]
  await play(store, { rates: [rate, rate], people: 2, money: 10_000_000, obedience: 0, steps })
})
