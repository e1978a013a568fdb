import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { bothDatabases, databases, openTestStore, type Database } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Service, Rate } from '#core/kernel/ports/store/money.ts'
import { charge } from './charge.ts'
import { adjust, topUp } from './funds.ts'
import { extendCall, release, reserveCall, reserveFax, reserveSms, settleCall, settleFax, settleSms } from './reservations.ts'
import type { Payer } from './rates.ts'
import { prefixes } from './rating.ts'

const free: Rate = { connectFee: 0, ratePerMinute: 0, minSeconds: 0, incrementSeconds: 60, perUnit: 0, blocked: false }
const rates: [Service, string, Partial<Rate>][] = [
  ['CALL', '49', { ratePerMinute: 179, minSeconds: 60 }],
  ['CALL', '4915', { ratePerMinute: 1490, minSeconds: 60 }],
  ['CALL', '49157', { ratePerMinute: 990, minSeconds: 60, incrementSeconds: 1 }],
  ['CALL', '49800', {}],
  ['CALL', '49900', { blocked: true }],
  ['FAX', '49', { ratePerMinute: 179, minSeconds: 60, perUnit: 10 }],
  ['SMS', '', { perUnit: 790 }],
  ['SIM', '', { perUnit: 49_500 }],
]
const landline = '+4921163554444'

class Bank {
  readonly store: Store
  readonly clock = new VirtualClock()

  constructor(store: Store) {
    this.store = store
  }

  /** Customer with this balance. */
  async payer(amount: number): Promise<Payer> {
    return this.store.write(async (tables) => {
      const id = await createAccount(tables, this.clock, {
        company: 'Example',
        country: 'DE',
        locale: 'en_US',
        currency: 'EUR',
        tariffId: 'basic',
      })
      if (amount > 0) await topUp(tables, this.clock, { accountId: id, amount, reason: 'cash', idempotencyKey: 'first', actor: 'test' })
      return { id, tariffId: 'basic', country: 'DE' }
    })
  }

  call(payer: Payer, sessionId: string, ...destinations: string[]) {
    return this.store.write((tables) => reserveCall(tables, this.clock, { payer, sessionId, purpose: 'CALL', destinations }))
  }

  settle(accountId: string, sessionId: string, ...seconds: number[]) {
    return this.store.write((tables) => settleCall(tables, this.clock, { accountId, sessionId, seconds }))
  }

  async holds(accountId: string): Promise<{ amount: number; reserved: number }> {
    const balance = await this.store.read.balances.find(accountId)
    assert.ok(balance)
    return { amount: balance.amount, reserved: balance.reserved }
  }

  async ledger(accountId: string): Promise<number[]> {
    const entries = await this.store.read.balances.listEntries(accountId, { limit: 10_000 })
    return entries.map((entry) => entry.amount).toReversed()
  }
}

const openBank = async (t: TestContext, database: Database): Promise<Bank> => {
  const bank = new Bank(await openTestStore(t, database))
  await bank.store.write(async ({ tariffs }) => {
    await tariffs.insert({ id: 'basic', name: 'Basic', currency: 'EUR', createdAt: 0 })
    for (const [service, prefix, rate] of rates)
      await tariffs.insertRate('basic', { ...free, ...rate, service, prefix, validFrom: 0, validUntil: undefined })
  })
  return bank
}

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)

for (const database of databases) {
  test(`${database}: requires the first pulse of every paid leg, exactly`, async (t) => {
    const bank = await openBank(t, database)
    const poor = await bank.payer(178)
    await assert.rejects(bank.call(poor, randomUUID(), landline), { code: 'insufficient_funds', status: 402 })
    assert.deepEqual(await bank.holds(poor.id), { amount: 178, reserved: 0 })
    assert.equal((await bank.call(poor, randomUUID(), '+498001234567')).amount, 0, 'what is free needs no money')
    assert.equal((await bank.call(poor, randomUUID())).amount, 0, 'neither does what stays inside')
    const enough = await bank.payer(179)
    assert.equal((await bank.call(enough, randomUUID(), landline)).amount, 179)
    const both = await bank.payer(179 + 989)
    await assert.rejects(bank.call(both, randomUUID(), '+4915799912345', landline), { code: 'insufficient_funds' })
    await assert.rejects(bank.call(enough, randomUUID(), '+4990012345'), { code: 'destination_blocked', status: 403 })
    await assert.rejects(bank.call(enough, randomUUID(), '+33123456789'), { code: 'destination_blocked' })
    await assert.rejects(bank.call({ ...enough, tariffId: 'none' }, randomUUID(), landline), { code: 'destination_blocked' })
  })
}

for (const database of bothDatabases) {
  test(`${database}: admits 7 of 50 parallel calls with money for 7, and charges each once`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(179 * 7 + 100)
    const sessions = Array.from({ length: 50 }, () => randomUUID())
    const outcomes = await Promise.allSettled(sessions.map((session) => bank.call(payer, session, landline)))
    const admitted = sessions.filter((_, i) => outcomes[i]?.status === 'fulfilled')
    assert.equal(admitted.length, 7)
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'insufficient_funds')
    assert.deepEqual(await bank.holds(payer.id), { amount: 1353, reserved: 1253 })
    const paid = await Promise.all([...admitted, ...admitted, ...admitted].map((session) => bank.settle(payer.id, session, 60)))
    assert.equal(paid.filter((cost) => cost !== undefined).length, 7)
    assert.deepEqual(await bank.holds(payer.id), { amount: 100, reserved: 0 })
    assert.deepEqual(await bank.ledger(payer.id), [1353, ...Array<number>(7).fill(-179)])
  })

  test(`${database}: admits exactly 100 of 1,000 parallel charges with money for 100`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(49_500 * 100)
    const spend = () =>
      bank.store.write((tables) =>
        charge(tables, bank.clock, { accountId: payer.id, service: 'SIM', units: 1, sessionId: randomUUID(), reason: 'SIM order' }),
      )
    const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, spend))
    assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 100)
    assert.deepEqual(await bank.holds(payer.id), { amount: 0, reserved: 0 })
    assert.equal(sum(await bank.ledger(payer.id)), 0)
  })
}

for (const database of databases) {
  test(`${database}: charges no money for an unanswered call, and rejects a later charge`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(1000)
    const session = randomUUID()
    await bank.call(payer, session, landline)
    await bank.store.write((tables) => release(tables, payer.id, session))
    assert.deepEqual(await bank.holds(payer.id), { amount: 1000, reserved: 0 })
    assert.equal(await bank.settle(payer.id, session, 60), undefined)
    const silent = randomUUID()
    await bank.call(payer, silent, landline)
    assert.equal(await bank.settle(payer.id, silent, 0), 0)
    assert.deepEqual(await bank.ledger(payer.id), [1000])
    assert.equal(await bank.store.read.jobs.nextDue(['reservation.expire']), undefined, 'nothing waits for sessions that are over')
  })

  test(`${database}: extends a call while the balance lasts`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(179 * 3)
    const session = randomUUID()
    await bank.call(payer, session, landline)
    const extend = (seconds: number) =>
      bank.store.write(
        async (tables) => (await extendCall(tables, bank.clock, { accountId: payer.id, sessionId: session, seconds })).seconds,
      )
    const asked = await Promise.all([120, 120, 120, 120, 120].map(extend))
    assert.deepEqual(asked, [120, 120, 120, 120, 120])
    assert.equal((await bank.holds(payer.id)).reserved, 2 * 179, 'asking for the same again takes nothing, not even at the same moment')
    assert.equal(await extend(180), 180)
    assert.equal(await extend(240), 180, 'the purse is empty')
    assert.deepEqual(await bank.holds(payer.id), { amount: 537, reserved: 537 })
    assert.equal(await bank.settle(payer.id, session, 125), 537)
    assert.deepEqual(await bank.holds(payer.id), { amount: 0, reserved: 0 })
    await assert.rejects(extend(300), /open reservation/)
  })

  test(`${database}: charges both legs, each by its own time`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(10_000)
    const session = randomUUID()
    await bank.call(payer, session, '+4915799912345', landline)
    await bank.store.write((tables) => extendCall(tables, bank.clock, { accountId: payer.id, sessionId: session, seconds: 61 }))
    assert.equal(await bank.settle(payer.id, session, 61, 30), 1007 + 179)
    const overrun = randomUUID()
    await bank.call(payer, overrun, landline)
    assert.equal(await bank.settle(payer.id, overrun, 600), 179, 'never more than what was reserved')
  })

  test(`${database}: reserves faxes as a whole and messages per segment`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(5_000)
    const fax = (sessionId: string, pages: number) =>
      bank.store.write((tables) => reserveFax(tables, bank.clock, { payer, sessionId, destination: landline, pages }))
    const [short, long] = [randomUUID(), randomUUID()]
    assert.equal((await fax(short, 2)).amount, 3 * 179 + 20, '150 seconds and two pages')
    await assert.rejects(fax(long, 30), { code: 'insufficient_funds' })
    const sent = { accountId: payer.id, sessionId: short, seconds: 70, pages: 2 }
    assert.equal(await bank.store.write((tables) => settleFax(tables, bank.clock, sent)), 2 * 179 + 20)
    const sms = { payer, sessionId: randomUUID(), destination: landline, segments: 3, sendAt: bank.clock.now() }
    assert.equal((await bank.store.write((tables) => reserveSms(tables, bank.clock, sms))).amount, 2370)
    assert.equal(await bank.store.write((tables) => settleSms(tables, bank.clock, payer.id, sms.sessionId)), 2370)
    const inside = { ...sms, sessionId: randomUUID(), destination: undefined }
    assert.equal((await bank.store.write((tables) => reserveSms(tables, bank.clock, inside))).amount, 0)
    assert.deepEqual(await bank.holds(payer.id), { amount: 5_000 - 378 - 2370, reserved: 0 })
  })

  test(`${database}: charges a one-off price once per session, or not at all`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(60_000)
    const order = (sessionId: string, service: Service = 'SIM') =>
      bank.store.write((tables) => charge(tables, bank.clock, { accountId: payer.id, service, units: 1, sessionId, reason: 'SIM order' }))
    const session = randomUUID()
    assert.deepEqual(await Promise.all([order(session), order(session), order(session)]), [49_500, 49_500, 49_500])
    await assert.rejects(order(randomUUID()), { code: 'insufficient_funds' })
    assert.deepEqual(await bank.ledger(payer.id), [60_000, -49_500])
    const bare = await bank.store.write((tables) =>
      createAccount(tables, bank.clock, { company: 'No tariff', country: 'DE', locale: 'en_US', currency: 'EUR' }),
    )
    const gift = { accountId: bare, service: 'SIM', units: 1, sessionId: randomUUID(), reason: 'SIM order' } as const
    assert.equal(await bank.store.write((tables) => charge(tables, bank.clock, gift)), 0)
  })

  test(`${database}: reserves a released session again, but not a settled one`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(1000)
    const session = randomUUID()
    await bank.call(payer, session, landline)
    assert.equal((await bank.call(payer, session, landline)).amount, 179)
    assert.deepEqual(await bank.holds(payer.id), { amount: 1000, reserved: 179 })
    await bank.store.write((tables) => release(tables, payer.id, session))
    assert.equal((await bank.call(payer, session, landline)).state, 'OPEN')
    await bank.settle(payer.id, session, 1)
    assert.equal((await bank.call(payer, session, landline)).state, 'COMMITTED')
    assert.deepEqual(await bank.holds(payer.id), { amount: 821, reserved: 0 })
  })

  test(`${database}: keeps ledger and balance equal and no reservation open after 300 mixed operations`, async (t) => {
    const bank = await openBank(t, database)
    const payer = await bank.payer(100_000)
    await Promise.allSettled(
      Array.from({ length: 300 }, async (_, i) => {
        const session = randomUUID()
        await bank.call(payer, session, '+4915112345678')
        if (i % 4 === 0) await bank.settle(payer.id, session, 30)
        else if (i % 4 === 1) await bank.store.write((tables) => release(tables, payer.id, session))
        else if (i % 4 === 2) {
          await bank.store.write((tables) => extendCall(tables, bank.clock, { accountId: payer.id, sessionId: session, seconds: 120 }))
          await bank.settle(payer.id, session, 120)
        } else {
          const movement = { accountId: payer.id, amount: -100, reason: 'fee', idempotencyKey: session, actor: 'test' }
          await Promise.allSettled([bank.store.write((tables) => adjust(tables, bank.clock, movement))])
          await bank.settle(payer.id, session, 60)
        }
      }),
    )
    const { amount, reserved } = await bank.holds(payer.id)
    assert.equal(reserved, 0)
    assert.equal(amount, sum(await bank.ledger(payer.id)))
    assert.ok(amount >= 0 && amount < 100_000)
  })

  test(`${database}: picks the longest prefix valid at the time`, async (t) => {
    const { store } = await openBank(t, database)
    const prefix = async (digits: string, at = 5) => (await store.read.tariffs.findRate('basic', 'CALL', prefixes(digits), at))?.prefix
    assert.deepEqual(await Promise.all(['4921112345', '4915112345', '4915799912345', '491', '33123'].map((digits) => prefix(digits))), [
      '49',
      '4915',
      '49157',
      '49',
      undefined,
    ])
    await store.write(({ tariffs }) =>
      tariffs.insertRate('basic', { ...free, service: 'CALL', prefix: '4921', validFrom: 100, validUntil: 200 }),
    )
    assert.deepEqual(await Promise.all([99, 100, 199, 200].map((at) => prefix('4921112345', at))), ['49', '4921', '4921', '49'])
  })
}
