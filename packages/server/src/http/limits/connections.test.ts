import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { startWorld } from '#test/world/world.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import { buildServer, type ServerLimits } from '../server.ts'

const listen = async (
  t: TestContext,
  limits: Partial<ServerLimits>,
  trustProxy = false,
  prepare = (_app: FastifyInstance): unknown => undefined,
) => {
  const { running } = await startWorld(t)
  const app = buildServer(running.deps, { rateLimit: 0, trustProxy, limits })
  prepare(app)
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.after(() => app.close())
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port: Number(url.port), host: url.hostname, localAddress })
    socket.on('error', () => {}) // the server ends some of them; their close event shows it
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { app, open }
}

const request = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'
const isAnswered = async (socket: Socket): Promise<boolean> => {
  if (socket.closed) return false
  socket.write(request)
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
  return String(first).startsWith('HTTP/1.1 200')
}

test('answers 408 and disconnects when headers or body stay incomplete', async (t) => {
  const { open } = await listen(t, { headersMs: 200, requestMs: 300 })
  const started = 'POST /v1/authorization/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
  for (const bytes of [started, `${started}content-length: 10\r\n\r\n{`]) {
    const socket = await open()
    socket.write(bytes)
    const answer = await text(socket)
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.match(answer, /"code":"request_timeout"/)
  }
})

/** A request that the server cannot answer before its body arrives. */
const unfinished = 'POST /v1/authorization/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{'

const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve))

test('closes the longest-idle connection of an address over its limit; a proxy is exempt', async (t) => {
  const { open } = await listen(t, { perAddress: 2 })
  const [first, second] = [await open(), await open()]
  assert.deepEqual([await isAnswered(second), await isAnswered(first)], [true, true])
  const third = await open()
  assert.ok(await isAnswered(third))
  await closed(second)
  assert.ok(await isAnswered(first), 'the one that was used last is still there')

  const behindProxy = await listen(t, { perAddress: 2 }, true)
  const sockets = await Promise.all(Array.from({ length: 5 }, () => behindProxy.open()))
  for (const socket of sockets) assert.ok(await isAnswered(socket))
})

test('closes idle connections of the address with the most first when the total is reached', async (t) => {
  const { open } = await listen(t, { total: 40, perAddress: 10 })
  const peerNode = await open('127.0.0.9')
  assert.ok(await isAnswered(peerNode))
  const crowd: Socket[] = []
  for (let count = 0; count < 50; count++) crowd.push(await open(`127.0.0.${2 + (count % 5)}`))
  for (const [count, socket] of crowd.entries()) if (count % 2 === 0) socket.write(count % 4 === 0 ? request : unfinished)
  for (let count = 0; count < 5; count++) assert.ok(await isAnswered(await open('127.0.0.20')), 'a newcomer is answered')
  assert.ok(await isAnswered(peerNode), 'and who was there before keeps the connection')
})

test('answers 503 to a new connection rather than end one whose request is being answered', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { app, open } = await listen(t, { total: 1 }, false, (server) => server.addHook('onRequest', () => released))
  const only = await open()
  const answered = isAnswered(only)
  await once(app.server, 'request')
  const beyond = await open()
  beyond.write('GET /v1/users HTTP/1.1\r\nhost: x\r\n\r\n')
  const answer = await text(beyond)
  assert.match(answer, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
  assert.match(answer, /\r\nretry-after: 1\r\n/)
  assert.match(answer, /"code":"unavailable"/)
  const upgrade = await open()
  upgrade.write('GET /v3/phone HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  assert.match(await text(upgrade), /^HTTP\/1\.1 503 /)
  release()
  assert.ok(await answered)
})

test('answers a request in progress during shutdown', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const passwords: Passwords = {
    hash: async () => 'hash',
    matches: async () => {
      onAsked()
      await released
      return true
    },
  }
  const world = await startWorld(t, { replaced: { passwords } })
  const ada = await world.newAccount()
  const login = world.client().createSessionToken({}, { username: ada.email, password: ada.password })
  await asked
  const closed = world.running.close()
  release()
  assert.ok((await login).token)
  await closed
})

test('shuts down despite a hanging client', async (t) => {
  const { app, open } = await listen(t, { closingMs: 20 })
  const socket = await open()
  assert.ok(await isAnswered(socket))
  socket.write('POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n')
  await Promise.all([new Promise((resolve) => socket.once('close', resolve)), app.close()])
})

test('shuts down without waiting for an unused connection', async (t) => {
  const { app, open } = await listen(t, { closingMs: 600_000 })
  const socket = await open()
  await Promise.all([new Promise((resolve) => socket.once('close', resolve)), app.close()])
})
