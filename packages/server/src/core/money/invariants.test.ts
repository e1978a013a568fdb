// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { databases, openTestDatabase, type Database, type Query } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { charge } from './charge.ts'
import { adjust, topUp } from './funds.ts'
import { moneyJobs } from './jobs.ts'
import { openTariff } from './open-tariff.ts'
import { extendCall, release, reserveCall, reserveFax, reserveSms, settleCall, settleFax, settleSms } from './reservations.ts'
import type { Payer } from './rates.ts'

/** Deterministic, so that a failed run can be repeated. */
const seed = 20_261_115
const operations: Record<Database, number> = { sqlite: 10_000, postgres: 1_200 }
const concurrency = 60

const randomFrom = (state: number) => (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
type Random = ReturnType<typeof randomFrom>

class Injected extends Error {}

/** Fails at the n-th call of any table. */
const breakingAt = (tables: Tables, n: number): Tables => {
  let left = n
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(from, name) {
        const member = Reflect.get(from, name) as unknown
        if (typeof member !== 'function') return typeof member === 'object' && member !== null ? wrap(member) : member
        return (...args: unknown[]) => {
          if (left-- === 0) throw new Injected('on purpose')
          return Reflect.apply(member, from, args) as unknown
        }
      },
    })
  return wrap(tables)
}

/** Sessions with this prefix fail while being booked: the balance is already changed, the ledger rejects. */
const poisoned = 'poisoned'
const poison: Record<Database, string[]> = {
  sqlite: [
    `create trigger poison before insert on ledger_posting when exists
       (select 1 from ledger_entry where id = new.entry_id and session_id like '${poisoned}%')
     begin select raise(abort, 'on purpose'); end`,
  ],
  postgres: [
    `create function poison() returns trigger language plpgsql as $$ begin
       if exists (select 1 from ledger_entry where id = new.entry_id and session_id like '${poisoned}%') then raise exception 'on purpose'; end if;
       return new; end $$`,
    'create trigger poison before insert on ledger_posting for each row execute function poison()',
  ],
}

interface Bank {
  store: Store
  clock: VirtualClock
  random: Random
  payers: Payer[]
}

type Work = (tables: Tables) => Promise<unknown>

/** Random money operation, including on unknown or finished sessions. */
const anything = ({ clock, random, payers }: Bank, n: number): Work => {
  const payer = payers[random(payers.length)]!
  const accountId = payer.id
  const sessionId = `${random(4) === 0 ? poisoned : 'session'}-${accountId}-${random(60)}`
  const movement = { accountId, amount: 1 + random(3_000), reason: 'r', idempotencyKey: `${n - random(3)}`, actor: 'test' }
  const destination = ['+4921163554444', '+4915112345678', '+33123456789', '+498001234567'][random(4)]!
  const purpose = random(2) === 0 ? 'CALL' : 'FLOW'
  const works: Work[] = [
    (tables) => topUp(tables, clock, movement),
    (tables) => adjust(tables, clock, { ...movement, amount: movement.amount - 2_000 }),
    (tables) => reserveCall(tables, clock, { payer, sessionId, purpose, destinations: [destination, '+4915112345678'] }),
    (tables) => reserveCall(tables, clock, { payer, sessionId, purpose, destinations: [destination] }),
    (tables) => extendCall(tables, clock, { accountId, sessionId, seconds: random(400) }),
    (tables) => settleCall(tables, clock, { accountId, sessionId, seconds: [random(300), random(300)] }),
    (tables) => reserveFax(tables, clock, { payer, sessionId: `${sessionId}-fax`, destination, pages: 1 + random(4) }),
    (tables) => settleFax(tables, clock, { accountId, sessionId: `${sessionId}-fax`, seconds: random(300), pages: 2 }),
    (tables) =>
      reserveSms(tables, clock, { payer, sessionId: `${sessionId}-sms`, destination, segments: 1 + random(3), sendAt: clock.now() }),
    (tables) => settleSms(tables, clock, accountId, `${sessionId}-sms`),
    (tables) => release(tables, accountId, `${sessionId}${['', '-fax', '-sms'][random(3)]}`),
    (tables) => charge(tables, clock, { accountId, service: 'SIM', units: 1, sessionId: `${sessionId}-sim`, reason: 'SIM order' }),
    (tables) => tables.balances.setCreditLimit(accountId, random(20_000)),
  ]
  return works[random(works.length)]!
}

/** Rejected with a Problem, failed on purpose, or done. */
const survive = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'done'
  } catch (error) {
    if (error instanceof Problem) return error.code
    if (error instanceof Injected) return 'injected'
    assert.match((error as Error).message, /^on purpose$|open reservation/)
    return (error as Error).message
  }
}

const zero = async (query: Query, rule: string, sql: string): Promise<void> => assert.deepEqual(await query(sql), [], rule)

const holds = async (query: Query): Promise<void> => {
  await zero(
    query,
    'the balance is the sum of the postings',
    `select * from balance where amount != (select coalesce(sum(amount), 0) from ledger_posting where book = 'balance' and account_id = balance.account_id)`,
  )
  await zero(
    query,
    'reserved is the sum of the open reservations',
    `select * from balance where reserved < 0 or reserved !=
       (select coalesce(sum(amount), 0) from reservation where state = 'OPEN' and account_id = balance.account_id)`,
  )
  await zero(query, 'nobody goes below the limit', 'select * from balance where amount - reserved < -credit_limit')
  await zero(
    query,
    'every entry has two sides that cancel out',
    `select id from ledger_entry where (select count(*) from ledger_posting where entry_id = ledger_entry.id) < 2
       or (select sum(amount) from ledger_posting where entry_id = ledger_entry.id) != 0`,
  )
  await zero(
    query,
    'a session is paid once, and only when its reservation is over',
    `select session_id from ledger_entry where session_id is not null group by session_id having count(*) > 1
     union select session_id from reservation where state != 'COMMITTED' and session_id in (select session_id from ledger_entry)`,
  )
  await zero(
    query,
    'what is reserved comes back by itself',
    `select session_id from reservation where state = 'OPEN' and 'reservation.expire:' || session_id not in (select id from job)`,
  )
}

const openBank = async (store: Store): Promise<Bank> => {
  const clock = new VirtualClock()
  const tariffId = await store.write((tables) => openTariff(tables, clock, { currency: 'EUR' }))
  const customer = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId } as const
  const payers = await Promise.all([1, 2, 3].map(() => store.write((tables) => createAccount(tables, clock, customer))))
  return { store, clock, random: randomFrom(seed), payers: payers.map((id) => ({ id, tariffId, country: 'DE' })) }
}

for (const database of databases) {
  test(`${database}: neither loses nor creates money in ${operations[database]} random operations that fail anywhere`, async (t) => {
    const { store, query } = await openTestDatabase(t, database)
    for (const sql of poison[database]) await query(sql)
    const bank = await openBank(store)
    const { clock, random } = bank
    const happened = new Map<string, number>()
    for (let n = 0; n < operations[database]; n += concurrency) {
      const round = Array.from({ length: concurrency }, (_, i) => {
        const work = anything(bank, n + i)
        const breaks = random(5) === 0 ? random(6) : undefined
        return survive(store.write((tables) => work(breaks === undefined ? tables : breakingAt(tables, breaks))))
      })
      for (const outcome of await Promise.all(round)) happened.set(outcome, (happened.get(outcome) ?? 0) + 1)
      if (n % (concurrency * 10) === 0) await holds(query)
    }
    await holds(query)
    for (const outcome of ['done', 'injected', 'on purpose', 'insufficient_funds', 'idempotency_mismatch'])
      assert.ok(happened.has(outcome), `${outcome} never happened: ${JSON.stringify([...happened])}`)

    await clock.advance(2 * 60 * 60 * 1000)
    const expire = moneyJobs(store, clock)['reservation.expire']!
    for (const { id, payload } of await query(`select id, payload from job where id like 'reservation.expire:%'`)) {
      const entry = { id: String(id), kind: 'reservation.expire', payload: {}, attempts: 1 }
      await expire(JSON.parse(String(payload)), entry)
    }
    await zero(query, 'in the end nothing stays reserved', 'select * from balance where reserved != 0')
  })
}
