import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '@offhook/sdk'
import { startCustomer, until } from '#test/http/customer-endpoint.ts'
import { startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { Relay } from '#core/assistant/delivery/listeners/relay.ts'
import { verifyWebhook } from '#core/kernel/webhook/standard-webhooks.ts'

const problem = (code: string) => (error: unknown) => error instanceof ApiError && error.body.code === code

const newWorld = async (t: TestContext) => {
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
  return { world, ...(await world.newAccount()) }
}

test('sends a sample event to the webhook as in a call, and returns its answer with hints', async (t) => {
  const customer = await startCustomer(t, ({ body }, response) => {
    const { session } = JSON.parse(body) as { session: { id: string } }
    const speak = { type: 'speak', session_id: session.id, text: 'Hi' }
    response.writeHead(200, { 'x-app': 'mine' }).end(JSON.stringify([speak, { type: 'sing', session_id: session.id }]))
  })
  const { world, api, accountId } = await newWorld(t)
  const { id: aiFlowId, secret } = await api.createFlow({}, { name: 'Bot', webhookUrl: `http://${customer.address}/hook`, apiKey: 'key' })
  const trial = await api.testFlow({ aiFlowId }, { event: 'user_speak', text: 'How late is it?' })
  const [received] = customer.received
  assert.ok(received)
  assert.ok(verifyWebhook(received.headers, received.body, [secret], Math.floor(world.clock.now() / 1000)))
  assert.equal(received.headers['x-api-key'], 'key')
  assert.equal(trial.request.body, received.body)
  assert.equal(trial.request.headers['webhook-signature'], received.headers['webhook-signature'])
  assert.deepEqual([trial.request.headers['x-api-key'], trial.request.headers['x-api-token']], ['***', '***'])
  const { type, text, session } = JSON.parse(received.body) as { type: string; text: string; session: Record<string, string> }
  assert.deepEqual([type, text, session.id, session.account_id], ['user_speak', 'How late is it?', trial.sessionId, accountId])
  assert.deepEqual([trial.channel, trial.url], ['webhook', `http://${customer.address}/hook`])
  assert.deepEqual([trial.response?.status, trial.response?.headers['x-app']], [200, 'mine'])
  assert.deepEqual(trial.actions, [{ type: 'speak', session_id: trial.sessionId, text: 'Hi' }])
  assert.deepEqual(
    trial.problems.map(({ index, type: of }) => [index, of]),
    [[1, 'sing']],
  )
  assert.deepEqual([trial.hints, trial.error], [[], undefined])
  assert.deepEqual((await api.listDeliveries({ aiFlowId })).items, [])
  assert.deepEqual((await api.listCalls()).data, [])
})

test('explains failures', async (t) => {
  const customer = await startCustomer(t, ({ path }, response) => response.writeHead(path === '/empty' ? 200 : 503).end())
  const { api } = await newWorld(t)
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Bot', webhookUrl: 'http://127.0.0.1:9/' })
  const nobody = await api.testFlow({ aiFlowId }, {})
  assert.equal(nobody.response, undefined)
  assert.ok(nobody.error)
  await api.changeFlow({ aiFlowId }, { name: 'Bot', webhookUrl: `http://${customer.address}/` })
  const failing = await api.testFlow({ aiFlowId }, {})
  assert.deepEqual([failing.response?.status, failing.error, failing.hints], [503, 'the endpoint answered 503', []])
  assert.equal(customer.received.length, 1, 'it is tried once')
  const secrets = await api.listFlowSecrets({ aiFlowId })
  for (const { id: secretId } of secrets.items) await api.deleteFlowSecret({ aiFlowId, secretId })
  await api.changeFlow({ aiFlowId }, { name: 'Bot', webhookUrl: `http://${customer.address}/empty` })
  assert.deepEqual((await api.testFlow({ aiFlowId }, {})).hints, ['silent', 'unsigned'])
  assert.deepEqual((await api.testFlow({ aiFlowId }, { event: 'session_end' })).hints, ['unsigned'])
})

test('opens a WebSocket and takes the first message as the answer', async (t) => {
  const customer = await startCustomer(t, undefined, (socket) => {
    socket.on('ping', (data) => socket.pong(data))
    socket.on('message', (data) => {
      const { type, session } = JSON.parse((data as Buffer).toString()) as { type: string; session: { id: string } }
      if (type !== 'session_end') socket.send(JSON.stringify({ type: 'speak', session_id: session.id, text: 'Hi' }))
    })
  })
  const { api } = await newWorld(t)
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Bot', websocketUrl: `ws://${customer.address}/` })
  const trial = await api.testFlow({ aiFlowId }, {})
  assert.deepEqual([trial.channel, trial.response?.status, trial.error], ['websocket', 101, undefined])
  assert.deepEqual(trial.actions, [{ type: 'speak', session_id: trial.sessionId, text: 'Hi' }])
  const end = await api.testFlow({ aiFlowId }, { event: 'session_end' })
  assert.deepEqual([end.actions, end.error], [[], undefined])
  customer.takesSockets = 403
  const refused = await api.testFlow({ aiFlowId }, {})
  assert.equal(refused.response?.status, 403)
  assert.ok(refused.error)
})

test('reports an event that reached a WebSocket without a reply', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const customer = await startCustomer(t, undefined, (socket) => {
    socket.on('pong', () => arrived.resolve()) // frames arrive in order: everything before the pong was received
    socket.on('ping', (data) => {
      socket.pong(data)
      socket.ping()
    })
  })
  const { world, api } = await newWorld(t)
  const { id: aiFlowId } = await api.createFlow(
    {},
    { name: 'Bot', websocketUrl: `ws://${customer.address}/`, timeouts: { attempt_ms: 700 } },
  )
  const asked = api.testFlow({ aiFlowId }, {})
  await arrived.promise
  await world.clock.advance(700)
  const trial = await asked
  assert.deepEqual([trial.durationMs, trial.error, trial.hints], [700, undefined, ['silent']])
})

test('prefers a listener, and rejects a channel that the flow does not have', async (t) => {
  const { world, api, accountId } = await newWorld(t)
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Bot' })
  await assert.rejects(api.testFlow({ aiFlowId }, {}), problem('endpoint_not_set'))
  for (const channel of ['webhook', 'websocket', 'fallback', 'listener'] as const)
    await assert.rejects(api.testFlow({ aiFlowId }, { channel }), problem('endpoint_not_set'))
  await assert.rejects(api.testFlow({ aiFlowId: 'x' }, {}), problem('flow_not_found'))
  const { id: written } = await api.createFlow({}, { name: 'Written', endpoint: 'assistant', webhookUrl: 'https://example.com/' })
  await assert.rejects(api.testFlow({ aiFlowId: written }, {}), withCode('endpoint_not_set'))
  const connection = {
    send: (text: string) =>
      relay.said(JSON.stringify({ type: 'reply', id: (JSON.parse(text) as { id: string }).id, status: 200, headers: {}, body: '[]' })),
    waiting: () => 0,
    close: () => {},
  }
  const relay: Relay = new Relay({ id: '1', to: 'http://localhost:3000/', clock: world.clock, connection })
  world.running.deps.listeners.add(accountId, aiFlowId, relay)
  const trial = await api.testFlow({ aiFlowId }, {})
  assert.deepEqual([trial.channel, trial.url, trial.response?.body], ['listener', 'http://localhost:3000/', '[]'])
})

test('limits concurrent trials per account', async (t) => {
  const held: (() => void)[] = []
  const customer = await startCustomer(t, (_, response) => held.push(() => response.end('[]')))
  const { world, api } = await newWorld(t)
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Bot', webhookUrl: `http://${customer.address}/` })
  const asked = [api.testFlow({ aiFlowId }, {}), api.testFlow({ aiFlowId }, {})]
  await until(() => held.length === 2)
  const over = new AbortController()
  const refused = assert.rejects(api.testFlow({ aiFlowId }, {}), problem('rate_limited')).finally(() => over.abort())
  // The test cannot observe when the third one starts to wait.
  while (!over.signal.aborted) {
    await world.clock.advance(2_000)
    await nextTurn()
  }
  await refused
  for (const answer of held) answer()
  await Promise.all(asked)
})
