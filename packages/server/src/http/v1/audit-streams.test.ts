import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startCustomer, type Customer } from '#test/http/customer-endpoint.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'

interface Body {
  type: string
  data: { accountId: string; entries: { seq: number; action: string; target: string; at: string }[] }
}

/** The receivers are on loopback. */
const settings = { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }

const note = (world: World, { accountId }: Person, ...targets: string[]): Promise<void> =>
  world.write(async ({ audit }) => {
    for (const target of targets)
      await audit.append(accountId, { at: world.clock.now(), actor: 'user:w0', action: 'thing.do', target, detail: { word: 'größe]"' } })
  })

const bodiesOf = ({ received }: Customer): Body[] => received.map(({ body }) => JSON.parse(body) as Body)
const targetsOf = (customer: Customer): string[] =>
  bodiesOf(customer).flatMap(({ data }) => data.entries.flatMap(({ action, target }) => (action === 'thing.do' ? [target] : [])))

for (const database of databases) {
  test(`${database}: sends new entries in order to a webhook that verifies them with standardwebhooks`, async (t) => {
    const customer = await startCustomer(t)
    const world = await startWorld(t, { database, settings })
    const ada = await world.newAccount()
    await note(world, ada, 'before')
    const { id, secret, failure } = await ada.api.createAuditStream({}, { kind: 'WEBHOOK', url: `http://${customer.address}/audit` })
    assert.equal(failure, null)
    await note(world, ada, ...Array.from({ length: 250 }, (_, nth) => `t${nth}`))
    await note(world, await world.newAccount(), 'foreign')
    await world.clock.advance(10_000)
    assert.deepEqual(
      targetsOf(customer),
      Array.from({ length: 250 }, (_, nth) => `t${nth}`),
    )
    assert.ok(bodiesOf(customer).every(({ type, data }) => type === 'audit.entries' && data.accountId === ada.accountId))
    t.mock.timers.enable({ apis: ['Date'], now: world.clock.now() })
    for (const { body, headers } of customer.received) assert.ok(new Webhook(secret ?? '').verify(body, headers as Record<string, string>))
    t.mock.timers.reset()
    const [stream] = (await ada.api.listAuditStreams()).items
    assert.deepEqual([stream?.id, stream?.waiting, stream?.failure], [id, 0, null])
    assert.ok(!JSON.stringify(await ada.api.listAccountAudit()).includes(secret ?? '?'), 'the log holds no secret')

    await ada.api.deleteAuditStream({ streamId: id })
    const requests = customer.received.length
    await note(world, ada, 'after')
    await world.clock.advance(600_000)
    assert.equal(customer.received.length, requests)
    await assert.rejects(ada.api.deleteAuditStream({ streamId: id }), { status: 404 })
  })
}

test('retries a failing receiver and loses nothing across a restart', async (t) => {
  let status = 503
  const sharedClock = new VirtualClock()
  const triedAt: number[] = []
  const customer = await startCustomer(t, (_, response) => {
    triedAt.push(sharedClock.now())
    response.writeHead(status).end()
  })
  const first = await startWorld(t, { sharedClock, settings })
  const ada = await first.newAccount()
  const { secret } = await ada.api.createAuditStream({}, { kind: 'WEBHOOK', url: `http://${customer.address}/audit`, start: 'BEGINNING' })
  await note(first, ada, 'one', 'two')
  /** Requests over real sockets take an unknown number of turns. */
  const passTime = async (world: World, isDone: () => boolean): Promise<void> => {
    while (!isDone()) {
      await sharedClock.advance(1_000)
      await world.running.idle()
    }
  }
  await passTime(first, () => triedAt.length >= 5)
  const [failing] = (await ada.api.listAuditStreams()).items
  assert.match(failing?.failure?.message ?? '', /503/)
  assert.ok(failing && failing.waiting >= 2 && failing.deliveredSeq === 0)
  const pauses = triedAt.slice(1).map((at, nth) => at - (triedAt[nth] ?? 0))
  for (const [nth, ms] of [5_000, 10_000, 20_000, 40_000].entries())
    assert.ok((pauses[nth] ?? 0) >= ms, `the pause grows: ${pauses.join()} ms`)
  await first.running.close()

  status = 200
  customer.received.length = 0
  const second = await startWorld(t, { sharedClock, settings: { ...settings, OFFHOOK_DATA: first.data } })
  await note(second, ada, 'three')
  await passTime(second, () => targetsOf(customer).length >= 3)
  await second.running.idle()
  assert.deepEqual(targetsOf(customer), ['one', 'two', 'three'])
  const seqs = bodiesOf(customer).flatMap(({ data }) => data.entries.map(({ seq }) => seq))
  assert.deepEqual(
    seqs,
    seqs.map((_, nth) => nth + 1),
    'all of them, in order',
  )
  const streamOf = async () => (await second.client(ada.token).listAuditStreams()).items[0]
  while ((await streamOf())?.waiting !== 0) await second.running.idle()
  assert.equal((await streamOf())?.failure, null)
  assert.ok(secret)
  await second.running.close()
})

test('sends OTLP logs with the given headers and never shows these', async (t) => {
  const customer = await startCustomer(t, (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  const world = await startWorld(t, { settings })
  const ada = await world.newAccount()
  const headers = { authorization: 'Bearer collector-secret' }
  await ada.api.createAuditStream({}, { kind: 'OTLP', url: `http://${customer.address}/v1/logs`, headers })
  await note(world, ada, 't1')
  await world.clock.advance(10_000)
  const request = customer.received.at(-1)
  assert.deepEqual([request?.path, request?.headers.authorization], ['/v1/logs', headers.authorization])
  const { resourceLogs } = JSON.parse(request?.body ?? '{}') as {
    resourceLogs: { scopeLogs: { logRecords: { timeUnixNano: string; body: object; attributes: { key: string; value: object }[] }[] }[] }[]
  }
  const records = resourceLogs[0]?.scopeLogs[0]?.logRecords ?? []
  const record = records.at(-1)
  assert.match(record?.timeUnixNano ?? '', /^\d{19}$/)
  assert.deepEqual(record?.body, { stringValue: 'thing.do' })
  assert.deepEqual(record?.attributes.find(({ key }) => key === 'audit.target')?.value, { stringValue: 't1' })
  const shown = JSON.stringify([await ada.api.listAuditStreams(), await ada.api.listAccountAudit()])
  assert.ok(!shown.includes('collector-secret'))
})

test('rejects wrong addresses, headers and a sixth stream', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const create = (kind: 'WEBHOOK' | 'SYSLOG' | 'OTLP', url: string, more = {}) => ada.api.createAuditStream({}, { kind, url, ...more })
  await assert.rejects(create('WEBHOOK', 'ftp://example.com/'), { status: 400 })
  await assert.rejects(create('OTLP', 'https://user:secret@example.com/'), { status: 400 })
  for (const url of ['tls://example.com', 'udp://example.com:514', 'tcp://example.com:514/path', 'example.com:514'])
    await assert.rejects(create('SYSLOG', url), { status: 400 }, url)
  await assert.rejects(create('WEBHOOK', 'https://example.com/', { headers: { authorization: 'x' } }), { status: 400 })
  await assert.rejects(bob.api.listAuditStreams(), { status: 403 })
  for (let nth = 0; nth < 5; nth++) await create('SYSLOG', 'tls://logs.example.com:6514')
  await assert.rejects(create('SYSLOG', 'tls://logs.example.com:6514'), { status: 409 })
})
