// test: cluster
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { defaultLimits } from '#adapters/store/postgres/postgres-limits.ts'
import type { StoreReach } from '#core/kernel/ports/store/index.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { until } from '#test/machine/peer-process.ts'
import { within } from '#test/machine/within.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import { startCluster, type Cluster, type ClusterPhone } from '#test/service/cluster.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#test/store/database-proxy.ts'
import { ScriptedSpeech } from '#test/speech/scripted-speech.ts'
import { freshPostgres, temporaryFolder } from '#test/store/databases.ts'
import type { Replaced } from '#wiring/main.ts'

interface Installation {
  cluster: Cluster
  proxy: DatabaseProxy
  ada: ClusterPhone
  bob: ClusterPhone
  reach: StoreReach
}

/** One process, two phones, and a network to the database that can be cut. */
const openHouse = async (t: TestContext, settings: Record<string, string> = {}, replaced: Replaced = {}): Promise<Installation> => {
  const proxy = await startDatabaseProxy(t, await freshPostgres())
  const limits = { databaseLimits: defaultLimits, ...replaced }
  const cluster = await startCluster(t, { processes: 1, settings: { DATABASE_URL: proxy.url, ...settings }, replaced: limits })
  const [ada, bob] = [await cluster.phone(0), await cluster.phone(0)]
  const { store } = cluster.processes[0]?.running.deps ?? assert.fail()
  return { cluster, proxy, ada, bob, reach: store.reach ?? assert.fail() }
}

const changed = (reach: StoreReach): Promise<boolean> =>
  new Promise((resolve) => {
    const stop = reach.watch((away) => {
      stop()
      resolve(away)
    })
  })

/** Calls, answers, and hangs up by the caller. */
const talk = async (caller: ClusterPhone, callee: ClusterPhone): Promise<void> => {
  const calling = caller.call(callee.deviceId)
  const end = calling.ended.then(({ status }) => assert.fail(`ended with ${status}`))
  const incoming = await Promise.race([callee.incoming(), end])
  await callee.accept(incoming)
  await Promise.race([calling.answered, end])
  end.catch(() => {})
  await calling.session.end()
  await incoming.call.ended
}

const refusal = async (call: PhoneCall): Promise<{ status: number | undefined; again: string | undefined; reason: string | undefined }> => {
  const { status, message } = await call.ended
  return { status, again: message?.header('retry-after'), reason: message?.header('reason') }
}

const status = async ({ cluster }: Installation, page: string): Promise<number> =>
  (await fetch(`${cluster.processes[0]?.url}${page}`)).status

test('keeps internal calls working without the database, answers others 503 with Retry-After, and writes everything afterwards', async (t) => {
  const house = await openHouse(t)
  const { cluster, proxy, ada, bob, reach } = house
  await talk(ada, bob)
  await talk(bob, ada)
  const running = await cluster.connect(ada, bob)
  const gone = changed(reach)
  proxy.refuse()
  await fetch(`${cluster.processes[0]?.url}/v1/users`, { headers: { authorization: `Bearer ${cluster.admin.token}` } })
  assert.equal(await gone, true)
  assert.deepEqual([await status(house, '/ready'), await status(house, '/health')], [503, 200])
  await talk(bob, ada)
  const paid = await refusal(ada.call('+4930123456'))
  assert.deepEqual(paid, { status: 503, again: '5', reason: 'Q.850;cause=41;text="Temporary failure"' })
  const outsideNumber = await SipPhone.open(t, {
    server: cluster.processes[0]?.running.sip.replace('sip:', '') ?? '',
    user: '9999999e9',
    password: 'x',
  })
  assert.equal((await refusal(outsideNumber.call('e0'))).status, 503)
  await running.caller.session.end()
  await running.callee.ended
  const back = changed(reach)
  proxy.heal()
  await back
  await cluster.clock.advance(5_000)
  const { items } = await cluster.api(0).listHistory({ userId: cluster.admin.userId })
  assert.equal(items.filter(({ type }) => type === 'CALL').length, 5)
})

test('does the same with half-open connections, and ends in time', async (t) => {
  const house = await openHouse(t)
  const { cluster, proxy, ada, bob, reach } = house
  await talk(ada, bob)
  const running = await cluster.connect(ada, bob)
  proxy.swallow()
  await talk(ada, bob)
  assert.ok(reach.awayMs > 0, 'found out by the call')
  assert.deepEqual([await status(house, '/ready'), await status(house, '/health')], [503, 200])
  await talk(ada, bob)
  await running.caller.session.end()
  await running.callee.ended
  const back = changed(reach)
  proxy.heal()
  await back
  assert.equal(await status(house, '/ready'), 200)
  await cluster.clock.advance(5_000)
  const { items } = await cluster.api(0).listHistory({ userId: cluster.admin.userId })
  assert.equal(items.filter(({ type }) => type === 'CALL').length, 4)
  await cluster.connect(ada, bob)
  proxy.swallow()
  await within(10_000, 'the end of the service', cluster.processes[0]?.running.close() ?? assert.fail())
})

test('lets an assistant take calls without the database, and delivers each event once', async (t) => {
  const customer = await startCustomer(t)
  const replaced = { speech: new ScriptedSpeech(new VirtualClock()) }
  const { cluster, proxy, ada, reach } = await openHouse(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }, replaced)
  const { id: flowId } = await cluster.api(0).createFlow({}, { name: 'Reception', webhookUrl: `http://${customer.address}/` })
  const operator = (await cluster.processes[0]?.operator()) ?? assert.fail()
  const number = '+4915112345678'
  const { id: numberId } = await operator.assignNumber({}, { accountId: cluster.admin.accountId, number })
  await cluster.api(0).changeNumber({ numberId }, { endpointId: flowId })
  const events = () => customer.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  const call = async (): Promise<void> => {
    const before = events().length
    const calling = ada.call(number)
    const end = calling.ended.then(({ status: refused }) => assert.fail(`ended with ${refused}`))
    end.catch(() => {})
    await Promise.race([calling.answered, end])
    await until('session_start', () => events().length > before)
    await calling.session.end()
  }
  await call()
  await until('session_end', () => events().includes('session_end'))
  const gone = changed(reach)
  proxy.refuse()
  void reach.now().catch(() => {})
  await gone
  await call()
  const back = changed(reach)
  proxy.heal()
  await back
  await cluster.clock.advance(5_000)
  await until('the second session_end', () => events().filter((type) => type === 'session_end').length === 2)
  assert.deepEqual(events(), ['session_start', 'session_end', 'session_start', 'session_end'])
  const { items } = await cluster.api(0).listHistory({ userId: cluster.admin.userId })
  assert.equal(items.length, 2)
})

test('writes events from a database outage in the next run of a process that ended during it', async (t) => {
  const settings = { OFFHOOK_DATA: await temporaryFolder(t), OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64') }
  const { cluster, proxy, ada, bob } = await openHouse(t, settings)
  await talk(ada, bob)
  const running = await cluster.connect(ada, bob)
  proxy.refuse()
  await talk(ada, bob)
  const unknown = ada.call(bob.deviceId)
  const incoming = await bob.incoming()
  await bob.accept(incoming)
  await unknown.answered
  await cluster.processes[0]?.running.close()
  await Promise.all([running.caller.ended, unknown.ended])
  proxy.heal()
  const next = await startCluster(t, { processes: 1, settings: { ...settings, DATABASE_URL: proxy.url } })
  const { store } = next.processes[0]?.running.deps ?? assert.fail()
  const entries = await store.read.history.list(cluster.admin.accountId, {}, { limit: 10 })
  assert.deepEqual(
    entries.map(({ detail }) => detail.callStatus),
    ['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS'],
  )
  assert.deepEqual(await store.read.runningCalls.listOf(cluster.processes[0]?.running.deps.presence.id ?? '', 10), [])
  const [journal = ''] = (await readdir(settings.OFFHOOK_DATA)).filter((name) => name.endsWith('.journal'))
  assert.equal((await stat(join(settings.OFFHOOK_DATA, journal))).size, 0)
})

test('keeps working with 200 ms of database latency', async (t) => {
  const { cluster, proxy, ada, bob, reach } = await openHouse(t)
  proxy.slow(200)
  await talk(ada, bob)
  proxy.heal()
  await cluster.clock.advance(5_000)
  assert.equal(reach.awayMs, 0)
  assert.equal((await cluster.api(0).listHistory({ userId: cluster.admin.userId })).items.length, 1)
})
