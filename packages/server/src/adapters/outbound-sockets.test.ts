import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { OutboundSocket, SocketEnd, SocketRequest } from '#core/kernel/ports/outbound.ts'
import type { Lookup } from './checked-connector.ts'
import { outboundSockets } from './outbound-sockets.ts'

const listen = async (t: TestContext, server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const open = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => open.add(socket))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** All events of one connection. */
interface Seen {
  socket: OutboundSocket
  opened: Promise<void>
  closed: Promise<SocketEnd>
  said: string[]
  bytes: number
  pongs: string[]
}

const connectTo = (
  t: TestContext,
  url: string,
  // Its time stands still, unless a running clock is given.
  {
    allow = [],
    clock = new VirtualClock(),
    lookup,
    ...input
  }: { allow?: string[]; clock?: VirtualClock; lookup?: Lookup } & Partial<SocketRequest> = {},
): Seen => {
  const door = outboundSockets({ allow, clock, ...(lookup && { lookup }) })
  t.after(() => door.close())
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<SocketEnd>()
  const seen = { opened: opened.promise, closed: closed.promise, said: [] as string[], bytes: 0, pongs: [] as string[] }
  const socket = door.connect(
    { url, headers: {}, handshakeMs: 5_000, maxBytes: 1_000, ...input },
    {
      opened: () => opened.resolve(),
      said: (text) => seen.said.push(text.toString()),
      saidBytes: () => (seen.bytes += 1),
      pong: (data) => seen.pongs.push(data),
      closed: (end) => closed.resolve(end),
    },
  )
  return {
    ...seen,
    socket,
    get bytes() {
      return seen.bytes
    },
  }
}

const wsTarget = async (t: TestContext, onSocket: (socket: WebSocket, headers: Record<string, unknown>) => void) => {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => onSocket(socket, request.headers))
  const port = await listen(t, server)
  return { port, allow: [`127.0.0.1:${port}`], url: `ws://127.0.0.1:${port}/hook?a=b` }
}

test('a WebSocket to an allowed address: headers, messages both ways, pings, close', async (t) => {
  const { promise: goodbye, resolve: saidGoodbye } = Promise.withResolvers<number>()
  let headers: Record<string, unknown> = {}
  const { url, allow } = await wsTarget(t, (socket, given) => {
    headers = given
    socket.on('message', (data) => socket.send(`you said ${(data as Buffer).toString()}`))
    socket.on('message', () => socket.send(Buffer.from([1, 2])))
    socket.on('close', saidGoodbye)
  })
  const { socket, opened, closed, ...seen } = connectTo(t, url, { allow, headers: { 'x-api-key': 'k' } })
  await opened
  assert.equal(headers['x-api-key'], 'k')
  assert.equal(headers['sec-websocket-extensions'], undefined)
  socket.send('hello')
  socket.ping('7')
  while (seen.pongs.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([seen.said, seen.pongs], [['you said hello'], ['7']])
  socket.close()
  assert.equal(await goodbye, 1000)
  assert.deepEqual(await closed, { opened: true, left: true, code: 1000, message: 'The endpoint closed the WebSocket with 1000' })
  socket.send('too late')
  socket.ping('too late')
})

test('applies the rules for outbound requests', async (t) => {
  let connections = 0
  const port = await listen(
    t,
    createServer().on('connection', () => connections++),
  )
  const inner: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '169.254.169.254', '[::ffff:127.0.0.1]']) {
    const { opened, refused, message } = await connectTo(t, `ws://${host}:${port}/`).closed
    const allowed = `OFFHOOK_EGRESS_ALLOW=${new URL(`ws://${host}:${port}`).host}`
    assert.deepEqual([opened, refused, message.includes(allowed)], [false, true, true], `${host}: ${message}`)
  }
  const unspecified = await connectTo(t, `wss://inside.test:${port}/`, { lookup: inner }).closed
  assert.deepEqual(
    [unspecified.refused, /leads to no address.* OFFHOOK_EGRESS_ALLOW=inside\.test:\d+$/.test(unspecified.message)],
    [undefined, true],
  )
  assert.match((await connectTo(t, 'http://example.com/').closed).message, /must begin with ws/)
  assert.match((await connectTo(t, 'ws://user:secret@example.com/').closed).message, /user name/)
  assert.match((await connectTo(t, 'nonsense').closed).message, /malformed/)
  assert.equal(connections, 0)
})

test('reports why an endpoint does not open a WebSocket', async (t) => {
  const answers: RequestListener = (request, response) => response.writeHead(request.url === '/moved' ? 302 : 401, { location: '/' }).end()
  const port = await listen(t, createServer(answers))
  const allow = [`127.0.0.1:${port}`]
  for (const [path, status] of [
    ['/moved', 302],
    ['/', 401],
  ] as const) {
    const message = `The endpoint answered ${status} instead of opening a WebSocket`
    assert.deepEqual(await connectTo(t, `ws://127.0.0.1:${port}${path}`, { allow }).closed, { opened: false, status, message })
  }
  const silent = await listen(
    t,
    createTcpServer(() => {}),
  )
  const clock = new VirtualClock()
  const late = connectTo(t, `ws://127.0.0.1:${silent}/`, { allow: ['127.0.0.1'], handshakeMs: 50, clock })
  await clock.advance(50)
  assert.deepEqual(await late.closed, { opened: false, message: 'No WebSocket within 50 ms' })
  const rude = await listen(
    t,
    createTcpServer((socket) => socket.end('hello\r\n\r\n')),
  )
  assert.match((await connectTo(t, `ws://127.0.0.1:${rude}/`, { allow: ['127.0.0.1'] }).closed).message, /^The WebSocket failed \(HPE_/)
  const nobody = connectTo(t, `ws://127.0.0.1:1/`, { allow: ['127.0.0.1'] })
  assert.equal((await nobody.closed).message, 'No connection (ECONNREFUSED)')
})

test('a message above the limit ends the connection; one at the limit does not', async (t) => {
  const { url, allow } = await wsTarget(t, (socket) => {
    socket.send('x'.repeat(1_000))
    socket.send('x'.repeat(1_001))
  })
  const { closed, said } = connectTo(t, url, { allow })
  assert.equal((await closed).message, 'A message was too large')
  assert.equal(said.length, 1)
})

test('answers pings, but does not fill our memory when the answers are not read', async (t) => {
  const { promise: connected, resolve } = Promise.withResolvers<WebSocket>()
  const { url, allow } = await wsTarget(t, resolve)
  const { opened } = connectTo(t, url, { allow })
  await opened
  const peer = await connected
  const answers = { count: 0, hasLast: false }
  peer.on('pong', (data) => {
    answers.count++
    answers.hasLast ||= data.toString() === 'last'
  })
  peer.pause()
  const asked = 150_000
  const data = Buffer.alloc(120)
  await new Promise<void>((sent) => {
    for (let i = 1; i <= asked; i++) peer.ping(data, false, () => i === asked && sent())
  })
  peer.resume()
  while (!answers.hasLast) {
    peer.ping('last')
    await new Promise((turn) => setImmediate(turn))
  }
  assert.ok(answers.count > 100 && answers.count < asked, `${answers.count} of ${asked}`)
})

test('pauses reading, and detects a broken connection', async (t) => {
  let peer: WebSocket | undefined
  const { url, allow } = await wsTarget(t, (socket) => (peer = socket))
  const { socket, opened, closed, said } = connectTo(t, url, { allow })
  await opened
  socket.pause()
  await new Promise<void>((resolve) => peer?.send('one', () => resolve()))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(said, [])
  socket.resume()
  while (said.length === 0) await new Promise((resolve) => setImmediate(resolve))
  peer?.terminate()
  assert.deepEqual(await closed, { opened: true, message: 'The connection was closed' })
})
