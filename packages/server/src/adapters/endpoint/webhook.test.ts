import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventMaker, openTestEndpoints, startCustomer, testSession, until, waiting, watcher } from '#test/http/customer-endpoint.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { realClock, SandboxClock } from '../clock/clocks.ts'
import { newWebhookSecret, verifyWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import { EndpointGone, EndpointUnavailable } from '#core/kernel/ports/assistant.ts'

const hello = [{ type: 'speak', session_id: testSession.id, text: 'Hi' }]

test('sends an event with key, signatures and sequence, and returns the reply as actions', async (t) => {
  const customer = await startCustomer(t, (_, response) => response.end(JSON.stringify(hello)))
  const { endpoints, vault, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const [older, newer, expired] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const secrets = [{ sealed: newer }, { sealed: older, expiresAt: Date.now() + 60_000 }, { sealed: expired, expiresAt: Date.now() - 1 }]
  const flow = await newFlow({
    webhookUrl: `http://${customer.address}/hook`,
    apiKey: vault.seal('the key'),
    secrets: secrets.map((one, at) => ({ id: String(at), createdAt: 0, ...one, sealed: vault.seal(one.sealed) })),
  })
  const event = eventMaker(accountId)('session_start', 0)
  const answer = await endpoints.open(flow, { id: testSession.id, accountId }, watcher()).send(event, waiting)
  assert.deepEqual(answer, { actions: hello, problems: [] })
  const [received] = customer.received
  assert.ok(received)
  const { headers, body } = received
  assert.deepEqual(JSON.parse(body), event.body)
  assert.deepEqual([headers['x-api-key'], headers['x-api-token']], ['the key', 'the key'])
  assert.deepEqual([headers['x-event-id'], headers['webhook-id']], [event.id, event.id])
  assert.deepEqual([headers['x-offhook-sequence'], headers['x-offhook-turn']], ['1', '0'])
  assert.equal(headers['content-type'], 'application/json')
  assert.match(headers['user-agent'] ?? '', /^Offhook/)
  assert.match(String(headers['traceparent']), /^00-6f1f2c0e7d0b4a539f0e2a1b7f4c9d11-[\da-f]{16}-01$/)
  const now = Math.floor(Date.now() / 1000)
  for (const secret of [older, newer]) assert.ok(verifyWebhook(headers, body, [secret], now))
  assert.equal(verifyWebhook(headers, body, [expired], now), false)
  const [row] = await deliveries(flow)
  const { id: _, at, durationMs, ...rest } = row!
  assert.ok(at > now * 1000 - 60_000 && durationMs < 10_000)
  assert.deepEqual(rest, {
    accountId,
    flowId: flow.id,
    sessionId: testSession.id,
    eventId: event.id,
    eventType: 'session_start',
    sequence: 1,
    turn: 0,
    attempt: 1,
    channel: 'webhook',
    state: 'delivered',
    status: 200,
    requestBytes: body.length,
    replyBytes: JSON.stringify(hello).length,
    actions: ['speak'],
    problems: [],
    error: undefined,
  })
})

test('signs with real time even in a sandbox that is days ahead', async (t) => {
  const customer = await startCustomer(t, (_, response) => response.end('[]'))
  const clock = new SandboxClock(realClock())
  clock.putForward(3 * 24 * 60 * 60 * 1000)
  const { endpoints, vault, newFlow, accountId, deliveries } = await openTestEndpoints(t, { clock, wallClock: realClock() })
  const secret = newWebhookSecret()
  const secrets = [{ id: '1', createdAt: 0, sealed: vault.seal(secret) }]
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/`, secrets })
  await endpoints.open(flow, { id: testSession.id, accountId }, watcher()).send(eventMaker(accountId)('user_speak', 1), waiting)
  const { headers, body } = customer.received[0]!
  assert.ok(verifyWebhook(headers, body, [secret], Math.floor(Date.now() / 1000)))
  const [row] = await deliveries(flow)
  assert.ok(Math.abs(row!.at - clock.now()) < 60_000, 'the log goes by the time of the sandbox')
})

test('retries a transient failure once, with the same id and body', async (t) => {
  const answers = [503, 200]
  const customer = await startCustomer(t, (_, response) => response.writeHead(answers.shift() ?? 500).end())
  const { endpoints, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const event = eventMaker(accountId)('user_speak', 1)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  assert.deepEqual(await channel.send(event, waiting), { actions: [], problems: [] })
  const [first, second] = customer.received
  assert.equal(first?.body, second?.body)
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.deepEqual(
    (await deliveries(flow)).map(({ attempt, state, status }) => [attempt, state, status]),
    [
      [1, 'failed', 503],
      [2, 'delivered', 200],
    ],
  )
  assert.equal(channel.duplex, false)
})

/** Attempts per status, and whether the session continues. */
const statuses: [number, number, 'goes on' | 'unavailable'][] = [
  [200, 1, 'goes on'],
  [204, 1, 'goes on'],
  [302, 1, 'unavailable'],
  [400, 1, 'unavailable'],
  [401, 1, 'unavailable'],
  [404, 1, 'unavailable'],
  [422, 1, 'unavailable'],
  [429, 2, 'unavailable'],
  [500, 1, 'unavailable'],
  [502, 2, 'unavailable'],
]

test('handles each status: attempts and session outcome', async (t) => {
  const customer = await startCustomer(t, ({ path }, response) => response.writeHead(Number(path.slice(1)), { location: '/200' }).end())
  const { endpoints, newFlow, accountId } = await openTestEndpoints(t)
  for (const [status, tries, meaning] of statuses) {
    const flow = await newFlow({ webhookUrl: `http://${customer.address}/${status}` })
    const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
    const before = customer.received.length
    const sent = channel.send(eventMaker(accountId)('user_speak'), waiting)
    if (meaning === 'unavailable') await assert.rejects(sent, EndpointUnavailable, String(status))
    else assert.deepEqual((await sent).actions, [], String(status))
    assert.equal(customer.received.length - before, tries, String(status))
  }
  const strict = await newFlow({ webhookUrl: `http://${customer.address}/422` })
  const session = { ...testSession, account_id: accountId }
  const key = { ...eventMaker(accountId)('user_speak'), body: { type: 'dtmf_received', session, digit: '1' } as const }
  const refusing = endpoints.open(strict, { id: testSession.id, accountId }, watcher()).send(key, waiting)
  assert.deepEqual((await refusing).actions, [], 'an event that it does not know')
})

test('410 disables the endpoint: immediately for this session, and in the flow', async (t) => {
  const customer = await startCustomer(t, (_, response) => response.writeHead(410).end())
  const { endpoints, store, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const next = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  for (let i = 0; i < 2; i++) await assert.rejects(channel.send(next('user_speak'), waiting), EndpointUnavailable)
  assert.equal(customer.received.length, 1)
  assert.deepEqual(
    (await deliveries(flow)).map(({ attempt, status, error }) => [attempt, status, error]),
    [
      [1, 410, 'the endpoint answered 410'],
      [0, undefined, 'the endpoint is disabled until the flow is changed'],
    ],
  )
  const disabled = await store.read.flows.find(accountId, flow.id)
  assert.match(disabled?.settings.disabledBecause ?? '', /410/)
  const [notified, ...more] = await store.read.appEvents.list(accountId)
  assert.deepEqual([notified?.name, notified?.payload['flowId'], more.length], ['flow_endpoint_disabled', flow.id, 0])
  const another = endpoints.open(disabled!, { id: 'another', accountId }, watcher())
  await assert.rejects(another.send(next('session_start'), waiting), EndpointUnavailable)
  await assert.rejects(endpoints.deliver(disabled!, next('session_end'), { attempt: 1, last: false }), EndpointGone)
  assert.equal(customer.received.length, 1)
})

test('honours Retry-After as long as the caller can wait', async (t) => {
  let seconds = '2'
  const customer = await startCustomer(t, (_, response) => response.writeHead(503, { 'retry-after': seconds }).end())
  const clock = new VirtualClock()
  const { endpoints, newFlow, accountId, close } = await openTestEndpoints(t, { clock })
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  const sent = assert.rejects(channel.send(eventMaker(accountId)('user_speak'), waiting), EndpointUnavailable)
  await until(() => clock.pending() > 1) // the pause, and the delivery log
  await clock.advance(1_999)
  assert.equal(customer.received.length, 1)
  await clock.advance(1)
  await sent
  assert.equal(customer.received.length, 2)
  seconds = '16'
  await assert.rejects(channel.send(eventMaker(accountId)('user_speak'), waiting), EndpointUnavailable)
  assert.equal(customer.received.length, 3)
  await close()
  assert.equal(clock.pending(), 0)
})

test('only session_start may go to the fallback address, with its own key and signature', async (t) => {
  const customer = await startCustomer(t, ({ path }, response) =>
    response.writeHead(path === '/fallback' ? 200 : 500).end(JSON.stringify(hello)),
  )
  const { endpoints, vault, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const [webhookUrl, fallbackUrl] = [`http://${customer.address}/`, `http://${customer.address}/fallback`]
  const flow = await newFlow({ webhookUrl, fallbackUrl, apiKey: vault.seal('k') })
  const next = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  assert.deepEqual((await channel.send(next('session_start'), waiting)).actions, hello)
  await assert.rejects(channel.send(next('user_speak'), waiting), EndpointUnavailable)
  assert.deepEqual(
    customer.received.map(({ path, headers }) => [path, headers['x-api-key']]),
    [
      ['/', 'k'],
      ['/fallback', 'k'],
      ['/', 'k'],
    ],
  )
  assert.deepEqual(
    (await deliveries(flow)).map(({ channel, state }) => [channel, state]),
    [
      ['webhook', 'failed'],
      ['fallback', 'delivered'],
      ['webhook', 'failed'],
    ],
  )
})

test('pauses a repeatedly failing endpoint', async (t) => {
  let status = 500
  const customer = await startCustomer(t, (_, response) => response.writeHead(status).end())
  const clock = new VirtualClock()
  const { endpoints, newFlow, accountId, deliveries, close } = await openTestEndpoints(t, { clock })
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const next = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  const send = () => channel.send(next('user_speak'), waiting)
  for (let i = 0; i < 7; i++) await assert.rejects(send(), EndpointUnavailable)
  assert.equal(customer.received.length, 5)
  assert.match((await deliveries(flow)).at(-1)?.error ?? '', /tried again in 10 s/)
  await clock.advance(10_000)
  await assert.rejects(send(), EndpointUnavailable)
  await assert.rejects(send(), EndpointUnavailable)
  assert.equal(customer.received.length, 6, 'one tries, the next does not')
  await clock.advance(10_000)
  status = 200
  await send()
  await send()
  assert.equal(customer.received.length, 8)
  await close()
  assert.equal(clock.pending(), 0)
})

test('stops waiting for a reply once the event is sent; reports a late reply without performing it', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const customer = await startCustomer(t, async ({ body }, response) => {
    if (body.includes('session_start')) await released
    response.end(JSON.stringify(hello))
  })
  const { endpoints, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const next = eventMaker(accountId)
  const seen = watcher()
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, seen)
  const fence = new AbortController()
  fence.abort(new Error('the caller spoke again'))
  const first = next('session_start')
  await assert.rejects(channel.send(first, fence.signal), { message: 'the caller spoke again' })
  await until(() => customer.received.length === 1)
  await channel.send(next('user_speak', 1), waiting)
  assert.deepEqual(seen.late, [])
  release()
  await until(() => seen.late.length > 0)
  assert.deepEqual(seen.late, [[first, { actions: hello, problems: [] }]])
  assert.deepEqual(
    (await deliveries(flow)).map(({ sequence, state }) => [sequence, state]),
    [
      [1, 'superseded'],
      [2, 'delivered'],
    ],
  )
})

test('keeps waiting until the event is sent: retries a failed connection, then reports the failure', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  const { endpoints, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://127.0.0.1:${port}/` })
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  await assert.rejects(channel.send(eventMaker(accountId)('user_speak'), AbortSignal.abort()), EndpointUnavailable)
  assert.deepEqual(
    (await deliveries(flow)).map(({ attempt, state, error }) => [attempt, state, error]),
    [1, 2].map((attempt) => [attempt, 'failed', 'No connection (ECONNREFUSED)']),
  )
})

test('logs an unreadable reply as failed; that to session_end does not matter', async (t) => {
  const answers: Record<string, Buffer | string> = {
    '/garbage': '<html>',
    '/gzip': gzipSync(JSON.stringify(hello)),
    '/bomb': Buffer.alloc(5 * 1024 * 1024, ' '),
    '/another': JSON.stringify({ type: 'hangup', session_id: 'another' }),
  }
  const customer = await startCustomer(t, ({ path }, response) => {
    if (path === '/gzip') response.setHeader('content-encoding', 'gzip')
    response.end(answers[path])
  })
  const { endpoints, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  for (const path of Object.keys(answers)) {
    const flow = await newFlow({ webhookUrl: `http://${customer.address}${path}` })
    const event = eventMaker(accountId)('user_speak')
    const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
    await assert.rejects(channel.send(event, waiting), EndpointUnavailable, path)
    channel.note(event.id, [{ index: 0, type: 'speak', message: 'noted' }])
    const [row] = await deliveries(flow)
    assert.deepEqual([row?.state, row?.attempt, row?.problems.length], ['failed', 1, 2], path)
    assert.equal(row?.error, row?.problems[0]?.message)
    if (path !== '/bomb') await endpoints.deliver(flow, eventMaker(accountId)('session_end'), { attempt: 1, last: false })
  }
})

test('session_end: one attempt, dead after the last, and actions in the reply are rejected', async (t) => {
  let status = 500
  const customer = await startCustomer(t, (_, response) => response.writeHead(status).end(JSON.stringify(hello)))
  const { endpoints, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const end = eventMaker(accountId)('session_end')
  await assert.rejects(endpoints.deliver(flow, end, { attempt: 1, last: false }), EndpointUnavailable)
  await assert.rejects(endpoints.deliver(flow, end, { attempt: 10, last: true }), EndpointUnavailable)
  status = 200
  await endpoints.deliver(flow, end, { attempt: 2, last: false })
  assert.equal(new Set(customer.received.map(({ body }) => body)).size, 1)
  assert.deepEqual(
    (await deliveries(flow)).map(({ attempt, state, problems }) => [attempt, state, problems.map(({ message }) => message)]),
    [
      [1, 'failed', ['the endpoint answered 500']],
      [10, 'dead', ['the endpoint answered 500']],
      [2, 'delivered', ['the session is over: only notes and results are kept']],
    ],
  )
  const unspecified = await newFlow({})
  await assert.rejects(endpoints.deliver(unspecified, end, { attempt: 1, last: false }), EndpointGone)
  assert.equal((await deliveries(unspecified))[0]?.state, 'dead')
})

test('rejects events for a flow without an endpoint, or with an unreadable key', async (t) => {
  const customer = await startCustomer(t)
  const { endpoints, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  for (const settings of [{}, { webhookUrl: `http://${customer.address}/`, apiKey: 'not sealed' }]) {
    const flow = await newFlow(settings)
    const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
    await assert.rejects(channel.send(eventMaker(accountId)('session_start'), waiting), EndpointUnavailable)
    assert.deepEqual(
      (await deliveries(flow)).map(({ state, attempt }) => [state, attempt]),
      [['failed', 0]],
    )
  }
  assert.equal(customer.received.length, 0)
})

test('does not wait for replies when the service stops', async (t) => {
  const customer = await startCustomer(t, () => {})
  const { endpoints, newFlow, accountId, store, close } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  const sent = assert.rejects(channel.send(eventMaker(accountId)('user_speak'), waiting), EndpointUnavailable)
  await until(() => customer.received.length === 1)
  await close()
  await sent
  const [row] = await store.read.deliveries.list(accountId, flow.id, { limit: 9 })
  assert.equal(row?.error, 'Nobody waits for the answer any more')
})
