// test: chance
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { dice } from '#test/chance/dice.ts'
import { ScriptedSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { euro, openSmsFixture, price, type SmsFixture, type Writer } from '#test/sms/sms-fixture.ts'
import { SmsLater, SmsRefused, type SmsPart } from '#core/kernel/ports/messages.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import { countSegments } from './text/segments.ts'

const minute = 60_000
const messages = 12
const steps = 40

type Roll = (sides: number) => number

/** A message centre and a database that fail at random, until the calm phase. */
class Weather {
  readonly #roll: Roll
  readonly route = new ScriptedSmsRoute()
  readonly taken: { id: string; part: SmsPart }[] = []
  readonly refused = new Set<string>()
  #receipts: string[] = []
  #fixture: SmsFixture | undefined
  #calm = false

  constructor(roll: Roll) {
    this.#roll = roll
    this.route.answer = (part) => this.#answer(part)
  }

  watch(fixture: SmsFixture): void {
    this.#fixture = fixture
  }

  calmDown(): void {
    this.#calm = true
  }

  /** Delivers some receipts, some of them twice. */
  async bringReceipts(): Promise<void> {
    const due = this.#receipts.filter(() => this.#calm || this.#roll(2) === 0)
    for (const id of due) await this.#bringReceipt(id)
  }

  async #bringReceipt(id: string): Promise<void> {
    const confirmed = await this.#fixture?.receiver.receipt('smpp', { id, state: 'DELIVERED', error: '' }).then(
      () => true,
      () => false,
    )
    if (confirmed && (this.#calm || this.#roll(5) > 0)) this.#receipts = this.#receipts.filter((other) => other !== id)
  }

  async #answer(part: SmsPart): Promise<{ id: string } | Error> {
    const luck = this.#calm ? 9 : this.#roll(10)
    if (luck === 0) return new SmsLater('throttled', 1_000)
    if (luck === 1) {
      this.refused.add(part.recipient)
      return new SmsRefused('no')
    }
    if (luck === 2) return new Error('it never came there')
    const id = randomUUID()
    this.taken.push({ id, part })
    this.#receipts.push(id)
    if (this.#roll(3) === 0) await this.#bringReceipt(id)
    return luck === 3 ? new Error('the answer got lost') : { id }
  }

  /** Writes that fail before any effect, or take effect without an answer. */
  over = (store: Store): Store => ({
    read: store.read,
    reach: undefined,
    longReads: undefined,
    close: () => store.close(),
    write: async (work) => {
      const luck = this.#calm ? 9 : this.#roll(12)
      if (luck === 0) throw new StoreUnavailable('gone')
      const result = await store.write(work)
      if (luck === 1) throw new StoreUnavailable('gone after all')
      return result
    },
  })
}

interface Order {
  id: string
  to: string
  text: string
  outcome: 'accepted' | 'refused' | 'unknown'
}

/** A client that gets no answer repeats the order with the same id, or gives up. */
const order = async (fixture: SmsFixture, roll: Roll, writer: Writer, input: Omit<Order, 'outcome'>): Promise<Order> => {
  for (;;) {
    const failure: unknown = await fixture.send(writer, input).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure instanceof StoreUnavailable && roll(2) === 0) continue
    if (failure instanceof StoreUnavailable) return { ...input, outcome: 'unknown' }
    if (failure !== undefined) assert.equal((failure as { code?: string }).code, 'insufficient_funds')
    return { ...input, outcome: failure === undefined ? 'accepted' : 'refused' }
  }
}

const letters = 'abcdefghij'
const recipientOf = (n: number): string => `+49151123456${10 + n}`

/** Checks the charge and the outcome of an order. */
const account = async (fixture: SmsFixture, writer: Writer, weather: Weather, { id, to, text, outcome }: Order): Promise<number> => {
  const entry = await fixture.store.read.history.find(writer.accountId, id)
  if (outcome === 'accepted') assert.ok(entry, 'what was accepted is never lost')
  if (outcome === 'refused') assert.equal(entry, undefined, 'what was refused is not sent')
  const booked = await fixture.store.read.balances.findEntry(writer.accountId, `session:${id}`)
  const paid = Math.abs(booked?.amount ?? 0)
  if (!entry) {
    assert.equal(paid, 0)
    return 0
  }
  const { segments } = countSegments(text)
  if (entry.detail.smsStatusType === 'FAILED') {
    assert.ok(weather.refused.has(to), entry.detail.smsReason)
    assert.ok(paid < segments * price && paid % price === 0)
    return paid
  }
  assert.equal(entry.detail.smsStatusType, 'DELIVERED')
  const arrived = new Set(weather.taken.filter(({ part }) => part.recipient === to).map(({ part }) => part.of?.number ?? 1))
  assert.equal(arrived.size, segments, 'every part has arrived')
  assert.equal(paid, segments * price, 'paid once, and all of it')
  return paid
}

const run = async (fixture: SmsFixture, weather: Weather, roll: Roll): Promise<void> => {
  const [ada, bob] = [await fixture.newWriter(), await fixture.newWriter()]
  weather.watch(fixture)
  fixture.addWorker()
  const [orders, inside]: [Order[], Order[]] = [[], []]
  for (let step = 0; step < steps; step++) {
    const n = orders.length
    const text = (letters[n % 10] ?? '').repeat(1 + roll(400))
    if (roll(3) === 0 && n < messages) orders.push(await order(fixture, roll, ada, { id: randomUUID(), to: recipientOf(n), text }))
    if (roll(8) === 0) inside.push(await order(fixture, roll, ada, { id: randomUUID(), to: bob.number, text }))
    await weather.bringReceipts()
    await fixture.clock.advance(roll(20_000))
  }
  weather.calmDown()
  await fixture.clock.advance(70 * minute)
  await weather.bringReceipts()
  let paid = 0
  for (const each of orders) paid += await account(fixture, ada, weather, each)
  assert.deepEqual(await fixture.holds(ada), { amount: euro - paid, reserved: 0 })
  const known = await Promise.all(inside.map(({ id }) => fixture.store.read.history.find(ada.accountId, id)))
  for (const [index, { outcome }] of inside.entries()) if (outcome === 'accepted') assert.ok(known[index])
  const sent = known.filter((entry) => entry !== undefined)
  for (const { detail } of sent) assert.equal(detail.smsStatusType, 'DELIVERED')
  assert.equal((await fixture.history(bob)).length, sent.length, 'between numbers here each arrives once')
}

for (const database of databases)
  for (const seed of database === 'sqlite' ? [1, 2] : [4])
    test(`${database}: loses no message and charges none twice under random failures (${seed})`, async (t) => {
      const roll = dice(seed)
      const weather = new Weather(roll)
      const fixture = await openSmsFixture(t, database, { routes: [weather.route], through: weather.over })
      await run(fixture, weather, roll)
    })
