import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventMaker, openTestEndpoints, startCustomer, testSession, waiting, watcher } from '#test/http/customer-endpoint.ts'
import { Relay } from '#core/assistant/delivery/listeners/relay.ts'
import { EndpointGone, EndpointUnavailable } from '#core/kernel/ports/assistant.ts'
import { newWebhookSecret, verifyWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import { realClock } from '../clock/clocks.ts'

interface Order {
  id: string
  headers: Record<string, string>
  body: string
}

const hello = [{ type: 'speak', session_id: testSession.id, text: 'Hi' }]

/** A listener that handles each request as the test defines. */
const newListener = (id: string, take: (order: Order, relay: Relay) => object | undefined) => {
  const received: Order[] = []
  const closed: number[] = []
  const connection = {
    send(text: string, sent: () => void) {
      sent()
      const order = JSON.parse(text) as Order
      received.push(order)
      const answer = take(order, relay)
      if (answer) relay.said(JSON.stringify({ type: 'reply', id: order.id, status: 200, headers: {}, body: '', ...answer }))
    },
    waiting: () => 0,
    close: (code: number) => void closed.push(code),
  }
  const relay: Relay = new Relay({ id, to: undefined, clock: realClock(), connection })
  return { relay, received, closed }
}

test('sends events with key and signature to a connected listener, whatever endpoint the flow has', async (t) => {
  const customer = await startCustomer(t)
  const { endpoints, listeners, vault, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const secret = newWebhookSecret()
  const flow = await newFlow({
    webhookUrl: `http://${customer.address}/`,
    websocketUrl: `ws://${customer.address}/`,
    apiKey: vault.seal('the key'),
    secrets: [{ id: '1', createdAt: 0, sealed: vault.seal(secret) }],
    disabledBecause: 'the endpoint answered 410 (gone)',
  })
  const { relay, received } = newListener('a', () => ({ body: JSON.stringify(hello) }))
  const leave = listeners.add(accountId, flow.id, relay)
  const event = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  assert.equal(channel.duplex, false)
  assert.deepEqual(await channel.send(event('session_start'), waiting), { actions: hello, problems: [] })
  await endpoints.deliver(flow, event('session_end'), { attempt: 1, last: false })
  const now = Math.floor(Date.now() / 1000)
  for (const { headers, body } of received) assert.ok(verifyWebhook(headers, body, [secret], now))
  assert.equal(received[0]?.headers['x-api-key'], 'the key')
  assert.deepEqual(
    received.map(({ body }) => (JSON.parse(body) as { type: string }).type),
    ['session_start', 'session_end'],
  )
  const rows = (await deliveries(flow)).map(({ channel, state, status }) => [channel, state, status])
  assert.deepEqual(rows, [
    ['listener', 'delivered', 200],
    ['listener', 'delivered', 200],
  ])
  leave()
  assert.deepEqual([customer.received.length, customer.upgrades], [0, 0])
})

test('falls back to the webhook for this and later events when a listener disconnects midway', async (t) => {
  const customer = await startCustomer(t, (_, response) => response.end(JSON.stringify(hello)))
  const { endpoints, listeners, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({ webhookUrl: `http://${customer.address}/` })
  const { relay } = newListener('a', (_order, self) => {
    leave()
    self.broke()
    return undefined
  })
  const leave = listeners.add(accountId, flow.id, relay)
  const event = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  assert.deepEqual((await channel.send(event('user_speak', 1), waiting)).actions, hello)
  assert.deepEqual((await channel.send(event('user_speak', 2), waiting)).actions, hello)
  assert.equal(customer.received.length, 2)
  const rows = (await deliveries(flow)).map(({ channel, state }) => `${channel} ${state}`)
  assert.deepEqual(rows, ['listener failed', 'listener failed', 'webhook delivered', 'webhook delivered'])
})

test('reports an unreachable endpoint when the listener is gone and there is no webhook', async (t) => {
  const { endpoints, listeners, newFlow, accountId } = await openTestEndpoints(t)
  const flow = await newFlow({})
  const { relay } = newListener('a', () => ({}))
  const leave = listeners.add(accountId, flow.id, relay)
  const event = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  await channel.send(event('session_start'), waiting)
  leave()
  await assert.rejects(channel.send(event('user_speak', 1), waiting), EndpointUnavailable)
  await assert.rejects(endpoints.deliver(flow, event('session_end'), { attempt: 1, last: false }), EndpointGone)
})

test('410 from a developer’s machine does not disable the flow', async (t) => {
  const { endpoints, listeners, store, newFlow, accountId, deliveries } = await openTestEndpoints(t)
  const flow = await newFlow({})
  listeners.add(accountId, flow.id, newListener('a', () => ({ status: 410 })).relay)
  const event = eventMaker(accountId)
  const channel = endpoints.open(flow, { id: testSession.id, accountId }, watcher())
  await assert.rejects(channel.send(event('session_start'), waiting), EndpointUnavailable)
  await assert.rejects(endpoints.deliver(flow, event('session_end'), { attempt: 1, last: false }), EndpointUnavailable)
  assert.deepEqual(
    (await deliveries(flow)).map(({ state }) => state),
    ['failed', 'failed'],
  )
  assert.equal((await store.read.flows.find(accountId, flow.id))?.settings.disabledBecause, undefined)
})

test('uses the newest of two listeners and notifies the other', async (t) => {
  const { endpoints, listeners, newFlow, accountId } = await openTestEndpoints(t)
  const flow = await newFlow({})
  const [older, newer] = [newListener('a', () => ({})), newListener('b', () => ({}))]
  const leave = listeners.add(accountId, flow.id, older.relay)
  listeners.add(accountId, flow.id, newer.relay)
  leave()
  await endpoints.open(flow, { id: testSession.id, accountId }, watcher()).send(eventMaker(accountId)('session_start'), waiting)
  assert.deepEqual([older.received.length, newer.received.length, older.closed], [0, 1, [4001]])
})
