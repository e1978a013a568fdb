import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { listenEnds, type ListenOrder } from '@offhook/contract/v3/listen.ts'
import { listen, ListenEnded } from './index.ts'

const websocketId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** A service with a hand-written WebSocket handshake, so that it can also fall silent without a closing handshake. */
const startService = async (t: TestContext, connected: (socket: Duplex, count: number) => void) => {
  const service = { asked: 0, connections: 0, answers: true, baseUrl: '' }
  const server = createServer((_, response) => {
    service.asked++
    server.emit('asked')
    if (service.answers) response.end('{}')
  })
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {})
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${websocketId}`).digest('base64')
    socket.write(`HTTP/1.1 101 .\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    t.after(() => socket.destroy())
    connected(socket, ++service.connections)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  service.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { service, nextAsked: () => once(server, 'asked') }
}

const frame = (opcode: number, payload: Buffer): Buffer => Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload])
const say = (socket: Duplex, order: ListenOrder): boolean => socket.write(frame(1, Buffer.from(JSON.stringify(order))))
const sayReady = (socket: Duplex): boolean => say(socket, { type: 'ready', flowId: 'f', flowName: 'F' })
const sayGoodbye = (socket: Duplex, code: number): unknown => socket.end(frame(8, Buffer.from([code >> 8, code & 255])))

/** Starts listening; `next` waits for the next event. */
const begin = (t: TestContext, baseUrl: string) => {
  const ending = new AbortController()
  t.after(() => ending.abort())
  const notified: string[] = []
  let heard: () => void = () => {}
  const notify = (what: string): void => {
    notified.push(what)
    heard()
  }
  const next = async (): Promise<string> => {
    while (notified.length === 0) await new Promise<void>((resolve) => (heard = resolve))
    return notified.shift() ?? ''
  }
  const over = listen({
    baseUrl,
    token: 'id:secret',
    flowId: 'f',
    to: 'http://127.0.0.1:1/',
    signal: ending.signal,
    onReady: ({ flowName }) => notify(`ready ${flowName}`),
    onBroken: (message, pause) => notify(`${message}, again in ${pause}`),
  })
  return { ending, next, over }
}

test('reconnects after a broken connection, with a growing pause until it succeeds', async (t) => {
  const { service } = await startService(t, (socket, count) => {
    if (count !== 2) sayReady(socket)
    if (count < 3) socket.end()
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { next, ending, over } = begin(t, service.baseUrl)
  assert.equal(await next(), 'ready F')
  assert.equal(await next(), 'the connection broke, again in 500')
  t.mock.timers.tick(500)
  assert.equal(await next(), 'the connection was refused: does the token allow changing flows?, again in 1000')
  t.mock.timers.tick(999)
  assert.equal(service.asked, 2, 'not before')
  t.mock.timers.tick(1)
  assert.equal(await next(), 'ready F')
  ending.abort()
  await over
})

test('drops a connection after 20 seconds of silence, even without a closing handshake', async (t) => {
  let service: Duplex | undefined
  const started = await startService(t, (socket) => {
    service = socket
    sayReady(socket)
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { next, ending, over } = begin(t, started.service.baseUrl)
  assert.equal(await next(), 'ready F')
  t.mock.timers.tick(19_999)
  const again = { type: 'ready', flowId: 'f', flowName: 'again' } as const
  assert.ok(service && say(service, again), 'anything that is said starts the time anew')
  assert.equal(await next(), 'ready again')
  t.mock.timers.tick(19_999)
  t.mock.timers.tick(1)
  assert.equal(await next(), 'nothing was heard of the service any more, again in 500')
  t.mock.timers.tick(500)
  assert.equal(await next(), 'ready F')
  ending.abort()
  await over
})

test('ends on its signal, also while the service does not answer', async (t) => {
  const { service, nextAsked } = await startService(t, sayReady)
  const connected = begin(t, service.baseUrl)
  assert.equal(await connected.next(), 'ready F')
  connected.ending.abort()
  await connected.over

  service.answers = false
  const asking = begin(t, service.baseUrl)
  await nextAsked()
  asking.ending.abort()
  await asking.over
  assert.equal(service.connections, 1)
})

test('does not reconnect after a final close code', async (t) => {
  const { service } = await startService(t, (socket) => sayGoodbye(socket, listenEnds.replaced))
  const { over } = begin(t, service.baseUrl)
  await assert.rejects(over, (error) => error instanceof ListenEnded && error.code === listenEnds.replaced)
})

test('reports a service that is not running', async (t) => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  await new Promise((resolve) => gone.close(resolve))
  const { next, over, ending } = begin(t, `http://127.0.0.1:${port}`)
  assert.equal(await next(), 'the service cannot be reached (ECONNREFUSED), again in 500')
  ending.abort()
  await over
})
