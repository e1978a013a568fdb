// test: real time
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { makeCertificate } from '#test/machine/certificate.ts'
import { openTransports as open, ping, reply, sip } from '#test/phones/sip-sockets.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { Transports } from './transports.ts'

const client = async (t: TestContext, port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const bytesFrom = async (socket: Socket): Promise<string> => ((await once(socket, 'data')) as [Buffer])[0].toString()

test('UDP and TCP share a port; a datagram has its source, and an answer goes back there', async (t) => {
  const { transports, inbox, port } = await open(t)
  assert.equal(transports.port('tcp'), port)
  const phone = createSocket('udp4')
  t.after(() => phone.close())
  phone.send('\r\n\r\n', port, '127.0.0.1') // NAT keep-alive, ignored
  phone.send(ping, port, '127.0.0.1')
  const { text, from } = await inbox.next()
  assert.equal(text, ping.toString())
  assert.deepEqual(from, { kind: 'udp', address: '127.0.0.1', port: phone.address().port })
  transports.send(reply, from, assert.ifError)
  const [answer] = (await once(phone, 'message')) as [Buffer]
  assert.equal(answer.toString(), reply.toString())
  assert.deepEqual(inbox.all, [])
})

test('an unsendable datagram fails asynchronously without side effects', async (t) => {
  const { send } = await open(t)
  assert.ok((await send(ping, { kind: 'udp', address: '127.0.0.1', port: 0 })) instanceof Error)
  assert.ok((await send(Buffer.alloc(70_000), { kind: 'udp', address: '127.0.0.1', port: 9 })) instanceof Error)
})

test('avoids a port that TCP cannot get, and rejects a configured one in use', async (t) => {
  const taken = createTcpServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const listen = { host: '127.0.0.1', port }
  await assert.rejects(open(t, { listen }), { code: 'EADDRINUSE' })
  const udp = createSocket('udp4')
  t.after(() => udp.close())
  udp.bind(port, '127.0.0.1') // the failed start released the port
  await once(udp, 'listening')
})

test('assembles messages of a stream, answers on the same connection, and answers keep-alives', async (t) => {
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
  transports.send(ping, peer, assert.ifError) // a request to that phone uses the connection it opened
  assert.equal(await bytesFrom(phone), ping.toString())
  assert.equal(transports.connections, 1)
  phone.destroy()
  assert.equal(await closed.next(), connection)
  assert.equal(transports.reaches(peer), false)
})

test('fails writes to a closed connection even if its port is reused', async (t) => {
  const { send, inbox, closed, port } = await open(t)
  const phone = await client(t, port)
  phone.write(ping)
  const { from } = await inbox.next()
  phone.destroy()
  await closed.next()
  assert.match((await send(reply, from)).message, /gone/)
})

test('opens outgoing connections on demand, queues writes until then, and both sides reuse them', async (t) => {
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

test('fails all queued messages when a connection is refused or times out', async (t) => {
  const unreachable: Flow[] = []
  const { clock, send, transports } = await open(t, { onUnreachable: (to) => unreachable.push(to) })
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const refused: Flow = { kind: 'tcp', address: '127.0.0.1', port }
  const errors = await Promise.all([send(ping, refused), send(ping, refused)])
  assert.ok(errors.every((error) => error instanceof Error))
  assert.equal(transports.connections, 0)
  assert.deepEqual(unreachable, [refused])
  // A server that accepts the connection but never completes TLS.
  const silent = createTcpServer().listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const failing = send(ping, { kind: 'tls', address: '127.0.0.1', port: (silent.address() as AddressInfo).port })
  await once(silent, 'connection')
  await clock.advance(5_000)
  assert.ok((await failing) instanceof Error)
  for (const kind of ['ws', 'wss'] as const) assert.ok((await send(ping, { kind, address: '127.0.0.1', port })) instanceof Error)
})

test('drops a peer that does not read before it fills our memory', async (t) => {
  const { transports, inbox, port, send, closed } = await open(t)
  const phone = await client(t, port)
  phone.pause()
  phone.write(ping)
  const { from } = await inbox.next()
  const large = Buffer.alloc(256 * 1024, 'x')
  for (let sent = 0; sent < 200 && transports.connections > 0; sent++) {
    transports.send(large, from, () => {})
    await new Promise(setImmediate)
  }
  await closed.next()
  assert.ok((await send(ping, from)) instanceof Error)
})

test('closes a connection after ten seconds with an incomplete message, or an hour without one', async (t) => {
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

test('closes a connection without SIP, with an answer if possible', async (t) => {
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
    sip(
      'OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\nFrom: <sip:a@b>;tag=1\nTo: <sip:a@b>\nCall-ID: 1\nCSeq: 1 OPTIONS\n\n',
    ),
  )
  assert.match(await bytesFrom(socket), /^SIP\/2.0 400 /)
  await gone
})

test('survives random bytes, cut anywhere', async (t) => {
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

test('limits connections per address, and allows none for a banned one', async (t) => {
  let max = 20
  const { port, transports, inbox, closed } = await open(t, { connectionsFor: (address) => (address === '127.0.0.1' ? max : 0) })
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
  max = 0
  await refused()
})

test('TLS: serves the given certificate, and connects only to a server that proves its name', async (t) => {
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

test('TLS: an incomplete handshake does not delay closing', async (t) => {
  const certificate = await makeCertificate(t)
  const { transports } = await open(t, { tls: { host: '127.0.0.1', port: 0 }, certificate })
  const socket = await client(t, transports.port('tls') ?? 0)
  const gone = once(socket, 'close')
  await transports.close()
  await gone
})

test('tells peers in our network our own address, others the public one', async (t) => {
  const { transports, port } = await open(t, { publicAddress: 'sip.example.org' })
  assert.deepEqual(transports.localAddress('udp', '198.51.100.1'), { host: 'sip.example.org', port })
  assert.deepEqual(transports.localAddress('tcp', '192.168.1.1'), { host: '127.0.0.1', port })
  assert.deepEqual(transports.localAddress('tls', '127.0.0.1'), { host: '127.0.0.1', port })
  const everywhere = await open(t, { listen: { host: '0.0.0.0', port: 0 } })
  assert.equal(everywhere.transports.localAddress('udp', '127.0.0.5').host, '127.0.0.1')
  assert.notEqual(everywhere.transports.localAddress('udp', '198.51.100.1').host, '0.0.0.0')
})

const hasIpv6 = Object.values(networkInterfaces()).some((found) => found?.some(({ family }) => family === 'IPv6'))

test('a dual-stack socket reports IPv4 peers as such and reaches them', { skip: !hasIpv6 && 'no IPv6 here' }, async (t) => {
  const { transports, inbox, port } = await open(t, { listen: { host: '::', port: 0 } })
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

test('reports an exception while handling a message, and handles the next one', async (t) => {
  const errors: Error[] = []
  const onMessage = (): void => {
    throw new Error('cannot stand it')
  }
  const { port } = await open(t, { onMessage, onError: (error) => errors.push(error) })
  const phone = createSocket('udp4')
  t.after(() => phone.close())
  phone.send(ping, port, '127.0.0.1')
  phone.send(ping, port, '127.0.0.1')
  const socket = await client(t, port)
  socket.write(ping)
  while (errors.length < 3) await new Promise(setImmediate)
})

test('sends no messages after close', async (t) => {
  const { transports, send, port } = await open(t)
  await transports.close()
  await transports.close()
  for (const kind of ['udp', 'tcp'] as const) assert.match((await send(ping, { kind, address: '127.0.0.1', port })).message, /closed/)
})
