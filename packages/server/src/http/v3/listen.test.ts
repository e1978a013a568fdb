import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { ApiError, listen, ListenEnded, type Exchange } from '@offhook/sdk'
import { WebSocket } from 'ws'
import { startCustomer, until } from '#test/http/customer-endpoint.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'
import { queueSessionEnd } from '#core/assistant/delivery/events/deliver-session-end.ts'
import { verifyWebhook } from '#core/kernel/webhook/standard-webhooks.ts'

/** Listens with the SDK and forwards to an address. */
const listening = async (t: TestContext, world: World, { token }: Person, flowId: string, to: string) => {
  const ready = Promise.withResolvers<void>()
  const stop = new AbortController()
  t.after(() => stop.abort())
  const exchanges: Exchange[] = []
  const broken: string[] = []
  const over = listen({
    baseUrl: world.url,
    token,
    flowId,
    to,
    onReady: () => ready.resolve(),
    onExchange: (exchange) => void exchanges.push(exchange),
    onBroken: (message) => void broken.push(message),
    signal: stop.signal,
  })
  over.catch((error: unknown) => ready.reject(error))
  await ready.promise
  return { over, stop, exchanges, broken }
}

const endSession = async (world: World, accountId: string, flowId: string, id = 's1'): Promise<void> => {
  const session = { id, account_id: accountId, phone_number: '4921100000' }
  const body = { type: 'session_end', session, reason: 'caller_hangup' } as const
  const event = { id: `event-${id}`, sessionId: id, accountId, sequence: 4, turn: 2, body }
  await world.write((tables) => queueSessionEnd(tables, { flowId, event }, world.clock.now()))
  world.running.deps.wake()
  await world.running.idle()
}

test('forwards signed events to a machine behind NAT and logs its reply', async (t) => {
  const app = await startCustomer(t, (_, response) => response.writeHead(200, { 'x-app': 'mine' }).end('[]'))
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { id: flowId, secret } = await ada.api.createFlow({}, { name: 'Bot' })
  const { exchanges, stop, over } = await listening(t, world, ada, flowId, `http://${app.address}/hook?key=1`)
  await endSession(world, ada.accountId, flowId)
  const [received] = app.received
  assert.ok(received)
  assert.equal(received.path, '/hook?key=1')
  assert.ok(verifyWebhook(received.headers, received.body, [secret], Math.floor(world.clock.now() / 1000)))
  await until(() => exchanges.length === 1)
  assert.equal(exchanges[0]?.eventType, 'session_end')
  assert.equal(exchanges[0]?.eventId, 'event-s1')
  assert.equal(exchanges[0]?.request.body, received.body)
  assert.deepEqual([exchanges[0]?.response?.status, exchanges[0]?.response?.headers['x-app']], [200, 'mine'])
  const { items } = await ada.api.listDeliveries({ aiFlowId: flowId })
  assert.deepEqual(
    items.map(({ channel, state, status }) => [channel, state, status]),
    [['listener', 'delivered', 200]],
  )
  const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })
  assert.equal(audit.filter(({ action, target }) => action === 'flow.listen' && target === flowId).length, 1)
  stop.abort()
  await over
})

test('reports an app that is not running without waiting for it', async (t) => {
  const app = await startCustomer(t)
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { id: flowId } = await ada.api.createFlow({}, { name: 'Bot' })
  const { exchanges } = await listening(t, world, ada, flowId, 'http://127.0.0.1:9/')
  await endSession(world, ada.accountId, flowId)
  await until(() => exchanges.length === 1)
  assert.match(exchanges[0]?.error ?? '', /^it could not be reached/)
  const { items } = await ada.api.listDeliveries({ aiFlowId: flowId })
  assert.match(items[0]?.error ?? '', /^it could not be reached/)
  assert.equal(app.received.length, 0)
})

test('prefers the newest listener and ends it when the flow is deleted', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { id: flowId } = await ada.api.createFlow({}, { name: 'Bot' })
  const older = await listening(t, world, ada, flowId, 'http://127.0.0.1:9/')
  const newer = await listening(t, world, ada, flowId, 'http://127.0.0.1:9/')
  await assert.rejects(older.over, (error) => error instanceof ListenEnded && error.code === 4001)
  await ada.api.deleteFlow({ aiFlowId: flowId })
  const ended = assert.rejects(newer.over, (error) => error instanceof ListenEnded && error.code === 4004)
  await world.clock.advance(20_000)
  await ended
})

test('sends no events to a listener whose token is revoked', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { id: flowId } = await ada.api.createFlow({}, { name: 'Bot' })
  const { over } = await listening(t, world, ada, flowId, 'http://127.0.0.1:9/')
  await world.write(({ tokens }) => tokens.removeByUser(ada.accountId, ada.userId))
  const ended = assert.rejects(over, (error) => error instanceof ListenEnded && error.code === 4003)
  await world.clock.advance(20_000)
  await ended
})

/** Status of an upgrade. */
const statusOf = async (url: string, token?: string): Promise<number> => {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), {
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })
  socket.on('error', () => {})
  const opened = once(socket, 'open').then(() => 101)
  const refused = once(socket, 'unexpected-response').then(([, response]) => (response as { statusCode: number }).statusCode)
  const status = await Promise.race([opened, refused])
  socket.terminate()
  return status
}

test('requires the permission to change flows and an existing flow of the account', async (t) => {
  const world = await startWorld(t)
  const [ada, bob] = [await world.newAccount(), await world.newAccount('Other')]
  const colleague = await world.newUser(ada.accountId)
  const { id: flowId } = await ada.api.createFlow({}, { name: 'Bot' })
  const address = (id: string, rest = '') => `${world.url}/v3/ai-flows/${id}/listen${rest}`
  assert.equal(await statusOf(address(flowId), ada.token), 101)
  assert.equal(await statusOf(address(flowId)), 401)
  assert.equal(await statusOf(address(flowId), 'nonsense'), 401)
  assert.equal(await statusOf(address(flowId), colleague.token), 403)
  assert.equal(await statusOf(address(flowId), bob.token), 404)
  assert.equal(await statusOf(address('%00'), ada.token), 404)
  assert.equal(await statusOf(address(flowId, '?to=ftp://x'), ada.token), 400)
  const refused = listen({ baseUrl: world.url, token: bob.token, flowId, to: 'http://127.0.0.1:9/' })
  await assert.rejects(refused, (error) => error instanceof ApiError && error.body.code === 'flow_not_found')
})

test('explains invalid messages to a listener', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { id: flowId } = await ada.api.createFlow({}, { name: 'Bot' })
  const socket = new WebSocket(`${world.url.replace(/^http/, 'ws')}/v3/ai-flows/${flowId}/listen`, {
    headers: { authorization: `Bearer ${ada.token}` },
  })
  await once(socket, 'message')
  socket.send('{"type":"reply"}')
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  assert.equal(code, 4007)
  assert.match(reason.toString(), /required/)
})

test('limits the connections of an account, even if earlier ones are never closed', async (t) => {
  const world = await startWorld(t)
  const [ada, eve] = [await world.newAccount(), await world.newAccount()]
  const { hostname: host, port } = new URL(world.url)
  /** A client that does not answer close frames. */
  const open = async ({ api, token }: Person, flowId?: string): Promise<{ status: string; flowId: string }> => {
    const id = flowId ?? (await api.createFlow({}, { name: 'Bot' })).id
    const socket = connect({ host, port: Number(port) })
    t.after(() => socket.destroy())
    const key = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
    const head = `GET /v3/ai-flows/${id}/listen HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${key}`
    socket.write(`${head}\r\nauthorization: Bearer ${token}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return { status: answer.toString().slice(9, 12), flowId: id }
  }
  const { flowId } = await open(ada)
  const others = await Promise.all(Array.from({ length: 99 }, () => open(ada, flowId)))
  assert.deepEqual(new Set(others.map(({ status }) => status)), new Set(['101']))
  assert.equal((await open(ada, flowId)).status, '429')
  assert.equal((await open(eve)).status, '101')
})
