import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { pino } from 'pino'
import { startWorld } from '../../../../test/support/world.ts'
import type { Passwords } from '../core/ports/passwords.ts'
import { buildServer, type ServerLimits } from './server.ts'

const listen = async (t: TestContext, limits: Partial<ServerLimits>, trustProxy = false) => {
  const { running } = await startWorld(t)
  const app = buildServer(running.parts, { logger: pino({ level: 'silent' }), rateLimit: 0, trustProxy, limits })
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.after(() => app.close())
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(url.port), url.hostname)
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { app, open }
}

const request = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'
const isAnswered = async (socket: Socket): Promise<boolean> => {
  socket.write(request)
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
  return String(first).startsWith('HTTP/1.1 200')
}

test('a client that does not finish its headers, or its body, is told so and loses its connection', async (t) => {
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

test('one address cannot take all connections, but a proxy can', async (t) => {
  const { open } = await listen(t, { perAddress: 2 })
  const [first, second] = [await open(), await open()]
  assert.deepEqual([await isAnswered(first), await isAnswered(second)], [true, true])
  assert.equal(await isAnswered(await open()), false)
  first.destroy()
  await once(first, 'close')
  // The server learns of it a moment later than we do.
  let again = false
  for (let tries = 0; !again && tries < 100; tries++) again = await isAnswered(await open())
  assert.ok(again, 'a place that was left is free')

  const behindProxy = await listen(t, { perAddress: 2 }, true)
  for (let count = 0; count < 5; count++) assert.ok(await isAnswered(await behindProxy.open()))
})

test('all connections together have a limit', async (t) => {
  const { open } = await listen(t, { total: 1 })
  const only = await open()
  assert.ok(await isAnswered(only))
  assert.equal(await isAnswered(await open().catch(() => new Promise<never>(() => {}))), false)
})

test('a request that is under way when the service ends is still answered', async (t) => {
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

test('a client that hangs does not keep the service from ending', async (t) => {
  const { app, open } = await listen(t, { closingMs: 20 })
  const socket = await open()
  assert.ok(await isAnswered(socket))
  socket.write('POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n')
  socket.on('error', () => {}) // how it ends does not matter
  await Promise.all([new Promise((resolve) => socket.once('close', resolve)), app.close()])
})

test('a connection that was never used does not keep the service from ending, for as long as requests are given', async (t) => {
  const { app, open } = await listen(t, { closingMs: 600_000 })
  const socket = await open()
  await Promise.all([new Promise((resolve) => socket.once('close', resolve)), app.close()])
})
