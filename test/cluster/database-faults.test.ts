import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '#test/machine/peer-process.ts'
import { within } from '#test/machine/within.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { startDatabaseProxy } from '#test/store/database-proxy.ts'
import { startFailingPostgres, type FailingPostgres } from '#test/store/failing-postgres.ts'

/** Longer than the heartbeat timeout of a process. */
const outageMs = Number(process.env.OFFHOOK_TEST_OUTAGE_SECONDS ?? '20') * 1000
const pairs = 5
const carrierAddress = '127.0.0.77'

type Phone = SipPhone & { deviceId: string }

interface Installation {
  exchange: Exchange
  /** The first half calls the second half. */
  phones: readonly Phone[]
  carrier: SipPhone
  /** Number of the last phone. */
  number: string
}

const openHouse = async (t: TestContext, url: string): Promise<Installation> => {
  const exchange = await startExchange(t, { DATABASE_URL: url, OFFHOOK_DEMO: 'on', OFFHOOK_LOG: 'warn' })
  const phones = await Promise.all(Array.from({ length: 2 * pairs }, () => newPhone(t, exchange)))
  const carrier = await SipPhone.open(t, { server: exchange.sip, address: carrierAddress })
  await exchange.newTrunk(carrierAddress, { port: Number(carrier.address.split(':')[1]) })
  const { number } = await exchange.newLine(phones.at(-1)?.deviceId ?? '')
  return { exchange, phones, carrier, number }
}

const newPhone = async (t: TestContext, exchange: Exchange): Promise<Phone> => {
  const { deviceId, user, password } = await exchange.newDevice()
  const phone = Object.assign(await SipPhone.open(t, { server: exchange.sip, user, password }), { deviceId })
  assert.equal((await phone.register()).status, 200)
  return phone
}

interface Talk {
  caller: PhoneCall
  callee: PhoneCall
}

const connect = async (caller: SipPhone, dialled: string, callee: Phone): Promise<Talk> => {
  const calling = caller.call(dialled)
  const refused = calling.ended.then(({ status }) => assert.fail(`refused with ${status}`))
  refused.catch(() => {})
  const incoming = await within(30_000, 'a call', Promise.race([callee.incoming(), refused]))
  await callee.accept(incoming)
  await within(30_000, 'an answer', Promise.race([calling.answered, refused]))
  return { caller: calling, callee: incoming.call }
}

const hangUp = async ({ caller, callee }: Talk): Promise<void> => {
  await caller.session.end()
  await within(30_000, 'the end at the other phone', callee.ended)
}

const pairsOf = ({ phones }: Installation): [Phone, Phone][] =>
  Array.from({ length: pairs }, (_, index) => [phones[index] ?? assert.fail(), phones[pairs + index] ?? assert.fail()])

const status = async ({ http }: Exchange, page: string): Promise<number> => (await fetch(`${http}${page}`)).status

/** Milliseconds until the page has this status. */
const untilStatus = async (exchange: Exchange, page: string, wanted: number): Promise<number> => {
  const startedAt = performance.now()
  await until(`${page} ${wanted}`, async () => (await status(exchange, page)) === wanted)
  return performance.now() - startedAt
}

const historyOf = async ({ exchange }: Installation): Promise<number> => {
  const { totalCount } = await exchange.admin.listHistory({ userId: exchange.userId, limit: 100 })
  return totalCount
}

/** Expectations for every outage: calls are unaffected, and everything is written afterwards. */
const outage = async (t: TestContext, house: Installation, { cut, heal }: { cut: () => unknown; heal: () => unknown }): Promise<void> => {
  const { exchange, carrier, number, phones } = house
  const all = pairsOf(house)
  for (const [caller, callee] of all) await hangUp(await connect(caller, callee.deviceId, callee))
  await hangUp(await connect(carrier, number, phones.at(-1) ?? assert.fail()))
  const before = pairs + 1
  await until('the history before', async () => (await historyOf(house)) === before)
  const talks = await Promise.all(all.map(([caller, callee]) => connect(caller, callee.deviceId, callee)))
  await cut()
  const noticedMs = await untilStatus(exchange, '/ready', 503)
  assert.equal(await status(exchange, '/health'), 200)
  for (const [caller, callee] of all) await hangUp(await connect(caller, callee.deviceId, callee))
  await hangUp(await connect(carrier, number, phones.at(-1) ?? assert.fail()))
  const paid = await within(30_000, 'a refusal', phones[0]?.call('+4930123456').ended ?? assert.fail())
  assert.deepEqual([paid.status, paid.message?.header('retry-after')], [503, '5'])
  await pause(outageMs) // the outage itself: leases expire during it
  await assert.rejects(exchange.admin.listUsers(), { status: 503 })
  for (const talk of talks.slice(0, 2)) await hangUp(talk)
  await heal()
  const backMs = await untilStatus(exchange, '/ready', 200)
  // Five with and five without the database, one inbound from outside without it, one rejected.
  const writtenMs = performance.now()
  await until('the history', async () => (await historyOf(house)) >= before + pairs + 2 + 2)
  t.diagnostic(
    `noticed after ${Math.round(noticedMs)} ms, ready ${Math.round(backMs)} ms and written ${Math.round(performance.now() - writtenMs)} ms after`,
  )
  for (const talk of talks.slice(2)) await hangUp(talk)
  await until('all of it', async () => (await historyOf(house)) >= before + 2 * pairs + 2).catch(() => {})
  assert.equal(await historyOf(house), before + 2 * pairs + 2)
}

const withPostgres = async (t: TestContext): Promise<{ postgres: FailingPostgres; house: Installation }> => {
  const postgres = await startFailingPostgres(t)
  return { postgres, house: await openHouse(t, postgres.url) }
}

test('keeps calls up and writes them later when PostgreSQL is stopped', async (t) => {
  const { postgres, house } = await withPostgres(t)
  await outage(t, house, { cut: () => postgres.stop('SIGINT'), heal: () => postgres.start() })
})

test('keeps calls up and writes them later when PostgreSQL is killed', async (t) => {
  const { postgres, house } = await withPostgres(t)
  await outage(t, house, { cut: () => postgres.stop('SIGKILL'), heal: () => postgres.start() })
})

test('keeps calls up and writes them later when PostgreSQL is frozen', async (t) => {
  const { postgres, house } = await withPostgres(t)
  await outage(t, house, { cut: () => postgres.freeze(), heal: () => postgres.thaw() })
})

test('keeps calls up when the network to PostgreSQL drops everything, then ends in time', async (t) => {
  const postgres = await startFailingPostgres(t)
  const proxy = await startDatabaseProxy(t, postgres.url)
  const house = await openHouse(t, proxy.url)
  await outage(t, house, { cut: () => proxy.swallow(), heal: () => proxy.heal() })
  proxy.swallow()
  const { program } = house.exchange
  program.child.kill('SIGTERM')
  assert.equal(await within(30_000, 'the end of the program', program.ended), 0)
  assert.doesNotMatch(program.written.stderr, /unhandled|uncaught/i)
})

test('keeps working when PostgreSQL has 200 ms more latency', async (t) => {
  const postgres = await startFailingPostgres(t)
  const proxy = await startDatabaseProxy(t, postgres.url)
  const house = await openHouse(t, proxy.url)
  proxy.slow(200)
  for (const [caller, callee] of pairsOf(house)) await hangUp(await connect(caller, callee.deviceId, callee))
  assert.equal(await status(house.exchange, '/ready'), 200)
  proxy.heal()
  await until('the history', async () => (await historyOf(house)) === pairs)
})
