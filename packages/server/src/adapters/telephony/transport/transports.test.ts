import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import { makeCertificate } from '../../../../../../test/support/certificate.ts'
import { VirtualClock } from '../../../../../../test/support/virtual-clock.ts'
import type { Flow } from '../../../sip/transport.ts'
import { Transports, type TransportsOptions } from './transports.ts'

const sip = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'))
const ping = sip('OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\nContent-Length: 0\n\n')
const reply = sip('SIP/2.0 200 OK\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\nContent-Length: 0\n\n')

interface Received {
  text: string
  from: Flow
}

/** What arrived, one after the other, waited for. */
class Inbox<T> {
  readonly all: T[] = []
  #wake = () => {}

  put(item: T): void {
    this.all.push(item)
    this.#wake()
  }

  async next(): Promise<T> {
    while (this.all.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.all.shift()!
  }
}

const open = async (t: TestContext, options: Partial<TransportsOptions> = {}) => {
  const clock = new VirtualClock()
  const inbox = new Inbox<Received>()
  const closed = new Inbox<number>()
  const broken = new Inbox<Flow>()
  const transports = await Transports.open({
    clock,
    listen: { host: '127.0.0.1', port: 0 },
    onMessage: (message, from) => inbox.put({ text: Buffer.from(message).toString(), from }),
    onClosed: (connection) => closed.put(connection),
    onBroken: (from) => broken.put(from),
    ...options,
  })
  t.after(async () => {
    await transports.close()
    assert.equal(transports.connections, 0)
    assert.equal(clock.pending(), 0, 'timers are left')
  })
  const port = transports.port('udp') ?? 0
  const send = (message: Uint8Array, to: Flow): Promise<Error> => new Promise((resolve) => transports.send(message, to, resolve))
  return { transports, clock, inbox, closed, broken, port, send }
}

const client = async (t: TestContext, port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const bytesFrom = async (socket: Socket): Promise<string> => ((await once(socket, 'data')) as [Buffer])[0].toString()

test('UDP and TCP share a port; a datagram comes with its source and an answer goes back there', async (t) => {
  const { transports, inbox, port } = await open(t)
  assert.equal(transports.port('tcp'), port)
  const phone = createSocket('udp4')
  t.after(() => phone.close())
  phone.send('\r\n\r\n', port, '127.0.0.1') // keeps a NAT open and means nothing
  phone.send(ping, port, '127.0.0.1')
  const { text, from } = await inbox.next()
  assert.equal(text, ping.toString())
  assert.deepEqual(from, { kind: 'udp', address: '127.0.0.1', port: phone.address().port })
  transports.send(reply, from, assert.ifError)
  const [answer] = (await once(phone, 'message')) as [Buffer]
  assert.equal(answer.toString(), reply.toString())
  assert.deepEqual(inbox.all, [])
})

test('a datagram that cannot be sent fails later, and nothing else happens', async (t) => {
  const { send } = await open(t)
  assert.ok((await send(ping, { kind: 'udp', address: '127.0.0.1', port: 0 })) instanceof Error)
  assert.ok((await send(Buffer.alloc(70_000), { kind: 'udp', address: '127.0.0.1', port: 9 })) instanceof Error)
})

test('a port that TCP does not have is not chosen, and a given one that is taken is refused', async (t) => {
  const taken = createTcpServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const listen = { host: '127.0.0.1', port }
  await assert.rejects(open(t, { listen }), { code: 'EADDRINUSE' })
  const udp = createSocket('udp4')
  t.after(() => udp.close())
  udp.bind(port, '127.0.0.1') // the failed start left nothing there
  await once(udp, 'listening')
})

test('messages of a stream are put together, answered on the same connection, and keep-alives get their pong', async (t) => {
  const { transports, inbox, port, closed } = await open(t)
  const phone = await client(t, port)
  for (const byte of ping) phone.write(Buffer.of(byte))
  const { text, from } = await inbox.next()
  assert.equal(text, ping.toString())
  assert.equal(from.kind, 'tcp')
  assert.equal(from.port, (phone.address() as AddressInfo).port)
  transports.send(reply, from, assert.ifError)
  assert.equal(await bytesFrom(phone), reply.toString())
  phone.write('\r\n\r\n')
  assert.equal(await bytesFrom(phone), '\r\n')
  const { connection, ...peer } = from
  assert.equal(transports.reaches(peer), true)
  transports.send(ping, peer, assert.ifError) // a request to that phone goes over the connection it opened
  assert.equal(await bytesFrom(phone), ping.toString())
  assert.equal(transports.connections, 1)
  phone.destroy()
  assert.equal(await closed.next(), connection)
  assert.equal(transports.reaches(peer), false)
})

test('what is written to a connection that is gone fails, and is not sent to somebody else who has the port now', async (t) => {
  const { send, inbox, closed, port } = await open(t)
  const phone = await client(t, port)
  phone.write(ping)
  const { from } = await inbox.next()
  phone.destroy()
  await closed.next()
  assert.match((await send(reply, from)).message, /gone/)
})

test('outgoing connections open on demand, take what comes meanwhile, are used again and by both sides', async (t) => {
  const { transports, inbox } = await open(t)
  const server = createTcpServer()
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const to: Flow = { kind: 'tcp', address: '127.0.0.1', port: (server.address() as AddressInfo).port }
  for (let n = 0; n < 3; n++) transports.send(ping, to, assert.ifError)
  const [socket] = (await once(server, 'connection')) as [Socket]
  let heard = ''
  while (heard.length < 3 * ping.length) heard += await bytesFrom(socket)
  assert.equal(heard, ping.toString().repeat(3))
  assert.equal(transports.connections, 1)
  socket.write(reply)
  const { from } = await inbox.next()
  assert.deepEqual({ ...from, connection: 0 }, { ...to, connection: 0 })
})

test('everything that waits for a connection fails when it is refused or nobody answers in time', async (t) => {
  const { clock, send, transports } = await open(t)
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const refused: Flow = { kind: 'tcp', address: '127.0.0.1', port }
  const errors = await Promise.all([send(ping, refused), send(ping, refused)])
  assert.ok(errors.every((error) => error instanceof Error))
  assert.equal(transports.connections, 0)
  // A server that takes the connection but never finishes TLS.
  const silent = createTcpServer().listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const failing = send(ping, { kind: 'tls', address: '127.0.0.1', port: (silent.address() as AddressInfo).port })
  await once(silent, 'connection')
  await clock.advance(5_000)
  assert.ok((await failing) instanceof Error)
  for (const kind of ['ws', 'wss'] as const) assert.ok((await send(ping, { kind, address: '127.0.0.1', port })) instanceof Error)
})

test('ten seconds for a message to become whole, an hour without one, then the connection is closed', async (t) => {
  const { clock, inbox, port, transports } = await open(t)
  const silent = await client(t, port)
  const slow = await client(t, port)
  slow.write(ping)
  await inbox.next()
  await clock.advance(9_000)
  slow.write(ping.subarray(0, 20))
  const kept = await client(t, port)
  kept.write(ping)
  await inbox.next()
  const silentGone = once(silent, 'close')
  await clock.advance(1_000)
  await silentGone
  assert.equal(transports.connections, 2)
  const slowGone = once(slow, 'close')
  await clock.advance(9_000)
  await slowGone
  assert.equal(transports.connections, 1)
  const keptGone = once(kept, 'close')
  await clock.advance(3_610_000)
  await keptGone
})

test('what is not SIP ends the connection, with an answer when there is somebody to answer', async (t) => {
  const { port, broken } = await open(t)
  for (const garbage of [Buffer.from('\0\x01\x02'), Buffer.alloc(70_000, 'a'), Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]) {
    const socket = await client(t, port)
    const gone = once(socket, 'close')
    socket.resume()
    socket.write(garbage)
    await gone
    assert.equal((await broken.next()).kind, 'tcp')
  }
  const socket = await client(t, port)
  const gone = once(socket, 'close')
  socket.write(
    sip('OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\nFrom: <sip:a@b>;tag=1\nTo: <sip:a@b>\nCall-ID: 1\nCSeq: 1 OPTIONS\n\n'),
  )
  assert.match(await bytesFrom(socket), /^SIP\/2.0 400 /)
  await gone
})

test('random bytes, cut anywhere, hurt nobody', async (t) => {
  const { port, inbox } = await open(t)
  let seed = 7
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 100; round++) {
    const socket = await client(t, port)
    const bytes = Buffer.from(ping)
    for (let changes = 0; changes < 4; changes++) bytes[random(bytes.length)] = random(256)
    const gone = once(socket, 'close')
    socket.resume()
    socket.end(bytes.subarray(0, random(bytes.length + 1)))
    await gone
  }
  const socket = await client(t, port)
  inbox.all.length = 0
  socket.write(ping)
  assert.equal((await inbox.next()).text, ping.toString())
})

test('nobody holds more than twenty connections, and who is not admitted holds none', async (t) => {
  const banned = new Set<string>()
  const { port, transports, inbox, closed } = await open(t, { admits: (address) => !banned.has(address) })
  const held = await Promise.all(Array.from({ length: 20 }, () => client(t, port)))
  for (const socket of held) socket.write(ping)
  for (const _ of held) await inbox.next()
  const refused = async (): Promise<void> => {
    const socket = await client(t, port)
    await once(socket, 'close')
  }
  await refused()
  assert.equal(transports.connections, 20)
  held[0]?.destroy()
  await closed.next()
  const again = await client(t, port)
  again.write(ping)
  await inbox.next()
  again.destroy()
  await closed.next()
  banned.add('127.0.0.1')
  await refused()
})

test('TLS: served with the given certificate, used only with a server that proves its name', async (t) => {
  const certificate = await makeCertificate(t, 'sip.carrier.example')
  const listen = { host: '127.0.0.1', port: 0 }
  const server = await open(t, { tls: listen, certificate })
  const port = server.transports.port('tls') ?? 0
  const phone = connectTls({ port, host: '127.0.0.1', ca: certificate.cert })
  t.after(() => phone.destroy())
  phone.write(ping)
  const { from, text } = await server.inbox.next()
  assert.deepEqual([from.kind, text], ['tls', ping.toString()])
  server.transports.send(reply, from, assert.ifError)
  assert.equal(await bytesFrom(phone), reply.toString())

  const trusting = await open(t, { trustedAuthorities: certificate.cert })
  const to: Flow = { kind: 'tls', address: '127.0.0.1', port, serverName: 'sip.carrier.example' }
  trusting.transports.send(ping, to, assert.ifError)
  assert.equal((await server.inbox.next()).text, ping.toString())
  assert.match((await trusting.send(ping, { ...to, serverName: 'other.example' })).message, /./)
  const { serverName: _, ...byAddress } = to
  trusting.transports.send(ping, byAddress, assert.ifError)
  await server.inbox.next()
  const strict = await open(t)
  assert.ok((await strict.send(ping, to)) instanceof Error)
  await assert.rejects(Transports.open({ clock: server.clock, listen, tls: listen, onMessage() {}, onClosed() {} }), /certificate/)
})

test('TLS that never gets further than its first packet does not delay closing', async (t) => {
  const certificate = await makeCertificate(t)
  const { transports } = await open(t, { tls: { host: '127.0.0.1', port: 0 }, certificate })
  const socket = await client(t, transports.port('tls') ?? 0)
  const gone = once(socket, 'close')
  await transports.close()
  await gone
})

const webSocket = async (t: TestContext, url: string, options: { ca?: string } = {}, protocols = ['sip']): Promise<WebSocket> => {
  const socket = new WebSocket(url, protocols, options)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

test('SIP over WebSocket, with and without TLS: one message in each frame, answers as text', async (t) => {
  const certificate = await makeCertificate(t)
  const listen = { host: '127.0.0.1', port: 0 }
  const { transports, inbox, closed } = await open(t, { ws: listen, wss: listen, certificate })
  for (const kind of ['ws', 'wss'] as const) {
    const browser = await webSocket(t, `${kind}://127.0.0.1:${transports.port(kind)}/any`, { ca: certificate.cert })
    assert.equal(browser.protocol, 'sip')
    browser.send(ping.toString())
    const { from, text } = await inbox.next()
    assert.deepEqual([from.kind, text], [kind, ping.toString()])
    browser.send(ping) // binary is as good
    assert.equal((await inbox.next()).text, ping.toString())
    transports.send(reply, from, assert.ifError)
    const [data, binary] = (await once(browser, 'message')) as [Buffer, boolean]
    assert.deepEqual([data.toString(), binary], [reply.toString(), false])
    browser.send('\r\n\r\n')
    assert.equal(String(((await once(browser, 'message')) as [Buffer])[0]), '\r\n')
    const { connection, ...peer } = from
    assert.equal(transports.reaches(peer), true)
    browser.close()
    assert.equal(await closed.next(), connection)
  }
})

test('without the subprotocol no WebSocket is opened, and too large a message closes it', async (t) => {
  const { transports, closed } = await open(t, { ws: { host: '127.0.0.1', port: 0 } })
  const url = `ws://127.0.0.1:${transports.port('ws')}/`
  for (const protocols of [[], ['chat']]) await assert.rejects(webSocket(t, url, {}, protocols), /400/)
  assert.equal((await fetch(url.replace('ws', 'http'))).status, 426)
  const browser = await webSocket(t, url)
  browser.send(Buffer.alloc(70_000))
  const [code] = (await once(browser, 'close')) as [number]
  assert.equal(code, 1009)
  await closed.next()
})

test('a browser that answers no pings is dropped, one that does stays', async (t) => {
  const { transports, clock, inbox } = await open(t, { ws: { host: '127.0.0.1', port: 0 } })
  const url = `ws://127.0.0.1:${transports.port('ws')}/`
  const deaf = new WebSocket(url, ['sip'], { autoPong: false })
  t.after(() => deaf.terminate())
  await once(deaf, 'open')
  deaf.send(ping)
  await inbox.next()
  const alive = await webSocket(t, url)
  alive.send(ping)
  await inbox.next()
  const gone = once(deaf, 'close')
  for (let round = 0; round < 3; round++) {
    const pinged = once(alive, 'ping')
    await clock.advance(20_000)
    await pinged
    await new Promise(setImmediate)
  }
  await gone
  assert.equal(alive.readyState, WebSocket.OPEN)
})

test('an existing HTTP server can take phones on one of its paths', async (t) => {
  const http = createServer((_request, response) => response.end('hello'))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.after(() => http.close())
  const { transports, inbox } = await open(t)
  const base = `127.0.0.1:${(http.address() as AddressInfo).port}`
  transports.attach(http, '/sip', (request) => String(request.headers['x-forwarded-for']))
  const browser = new WebSocket(`ws://${base}/sip?x=1`, ['sip'], { headers: { 'x-forwarded-for': '192.0.2.9' } })
  t.after(() => browser.terminate())
  await once(browser, 'open')
  browser.send(ping)
  assert.equal((await inbox.next()).from.address, '192.0.2.9')
  await assert.rejects(webSocket(t, `ws://${base}/other`), /404/)
  assert.equal(await (await fetch(`http://${base}/`)).text(), 'hello')
  const gone = once(browser, 'close')
  await transports.close()
  await gone
  assert.equal(await (await fetch(`http://${base}/`)).text(), 'hello')
  assert.equal(http.listenerCount('upgrade'), 0)
})

test('neighbours are told our own address, the world the public one', async (t) => {
  const { transports, port } = await open(t, { publicAddress: 'sip.example.org' })
  assert.deepEqual(transports.localAddress('udp', '198.51.100.1'), { host: 'sip.example.org', port })
  assert.deepEqual(transports.localAddress('tcp', '192.168.1.1'), { host: '127.0.0.1', port })
  assert.deepEqual(transports.localAddress('tls', '127.0.0.1'), { host: '127.0.0.1', port })
  const everywhere = await open(t, { listen: { host: '0.0.0.0', port: 0 } })
  assert.equal(everywhere.transports.localAddress('udp', '127.0.0.5').host, '127.0.0.1')
  assert.notEqual(everywhere.transports.localAddress('udp', '198.51.100.1').host, '0.0.0.0')
})

test('a socket for both families names IPv4 peers as such and reaches them', async (t) => {
  const { transports, inbox, port } = await open(t, { listen: { host: '::', port: 0 } }).catch(() => {
    t.skip('no IPv6 here')
    throw new Error('skip')
  })
  const phone = createSocket('udp4')
  t.after(() => phone.close())
  phone.send(ping, port, '127.0.0.1')
  const { from } = await inbox.next()
  assert.equal(from.address, '127.0.0.1')
  transports.send(reply, from, assert.ifError)
  await once(phone, 'message')
  const socket = await client(t, port)
  socket.write(ping)
  assert.equal((await inbox.next()).from.address, '127.0.0.1')
})

test('after closing nothing is sent', async (t) => {
  const { transports, send, port } = await open(t)
  await transports.close()
  await transports.close()
  for (const kind of ['udp', 'tcp'] as const) assert.match((await send(ping, { kind, address: '127.0.0.1', port })).message, /closed/)
})
