// test: own process, real time
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { udpKinds } from '#test/phones/media-call.ts'
import {
  canonicalAddress,
  decodeSocketAddress,
  encodeSocketAddress,
  PortTaken,
  type SocketAddress,
  type Udp,
  type UdpSocket,
} from './socket.ts'
import { openDgram } from './socket-dgram.ts'
import { closeDescriptors, openKoffi } from './socket-koffi.ts'

interface Received {
  text: string
  from: SocketAddress | undefined
}

const openUdp = (t: TestContext, kind: 'koffi' | 'dgram'): Udp => {
  const udp = kind === 'koffi' ? openKoffi() : openDgram()
  t.after(() => udp.close())
  return udp
}

const freePort = async (address: string): Promise<number> => {
  const udp = openDgram()
  const { port } = await udp.open(address, 0, () => {})
  udp.close()
  return port
}

const openPort = async (udp: Udp, address: string) => {
  const heard: Received[] = []
  const socket = await udp.open(address, await freePort(address), (bytes, length, from) => {
    heard.push({ text: Buffer.from(bytes.subarray(0, length)).toString(), from })
  })
  return { socket, heard, at: { address, port: socket.port } }
}

const say = (socket: UdpSocket, text: string): void => socket.send(Buffer.from(text), text.length)

/** Polls like the paced loop until the condition holds. */
const until = async (udp: Udp, happened: () => boolean): Promise<void> => {
  const deadline = performance.now() + 60_000
  while (!happened()) {
    assert.ok(performance.now() < deadline, 'did not happen')
    udp.poll(performance.now())
    await new Promise(setImmediate)
  }
}

for (const kind of udpKinds) {
  for (const address of ['127.0.0.1', '::1']) {
    test(`${kind} ${address}: sends to its target, and receives with the sender's address`, async (t) => {
      const udp = openUdp(t, kind)
      const a = await openPort(udp, address)
      const b = await openPort(udp, address)
      a.socket.aim(b.at)
      say(a.socket, 'one')
      say(a.socket, 'two')
      await until(udp, () => b.heard.length === 2)
      const from = { address: canonicalAddress(address), port: a.at.port }
      assert.deepEqual(b.heard, [
        { text: 'one', from },
        { text: 'two', from },
      ])
    })

    test(`${kind} ${address}: a connected socket receives only from its peer, until aimed again`, async (t) => {
      const udp = openUdp(t, kind)
      const us = await openPort(udp, address)
      const peer = await openPort(udp, address)
      const outsider = await openPort(udp, address)
      peer.socket.aim(us.at)
      outsider.socket.aim(us.at)
      us.socket.connect(peer.at)
      say(outsider.socket, 'x')
      say(peer.socket, 'hello')
      say(us.socket, 'back')
      await until(udp, () => us.heard.length > 0 && peer.heard.length > 0)
      say(outsider.socket, 'y')
      say(peer.socket, 'again')
      await until(udp, () => us.heard.length > 1)
      assert.deepEqual(
        us.heard.map(({ text }) => text),
        ['hello', 'again'],
      )
      assert.equal(outsider.heard.length, 0)
      us.socket.aim(outsider.at)
      say(outsider.socket, 'z')
      say(us.socket, 'to you')
      await until(udp, () => us.heard.length > 2 && outsider.heard.length > 0)
      assert.deepEqual(us.heard[2], { text: 'z', from: { address: canonicalAddress(address), port: outsider.at.port } })
      assert.equal(outsider.heard[0]?.text, 'to you')
    })
  }

  test(`${kind}: packets queued before the connection keep their sender`, async (t) => {
    const udp = openUdp(t, kind)
    const us = await openPort(udp, '127.0.0.1')
    const peer = await openPort(udp, '127.0.0.1')
    const outsider = await openPort(udp, '127.0.0.1')
    outsider.socket.aim(us.at)
    peer.socket.aim(us.at)
    say(outsider.socket, 'early')
    us.socket.connect(peer.at)
    say(peer.socket, 'late')
    await until(udp, () => us.heard.some(({ text }) => text === 'late'))
    const early = us.heard.find(({ text }) => text === 'early')
    if (early) assert.equal(early.from?.port, outsider.at.port)
  })

  test(`${kind}: a dual-stack socket reaches IPv4 and reports IPv4 addresses`, async (t) => {
    const udp = openUdp(t, kind)
    const both = await openPort(udp, '::')
    const four = await openPort(udp, '127.0.0.1')
    four.socket.aim({ address: '127.0.0.1', port: both.at.port })
    say(four.socket, 'up')
    await until(udp, () => both.heard.length === 1)
    assert.deepEqual(both.heard[0]?.from, four.at)
    both.socket.connect(four.at)
    say(both.socket, 'down')
    await until(udp, () => four.heard.length === 1)
    assert.equal(four.heard[0]?.text, 'down')
  })

  test(`${kind}: the buffer may be reused immediately`, async (t) => {
    const udp = openUdp(t, kind)
    const a = await openPort(udp, '127.0.0.1')
    const b = await openPort(udp, '127.0.0.1')
    a.socket.connect(b.at)
    const buffer = Buffer.alloc(1)
    for (const digit of '0123456789') {
      buffer.write(digit)
      a.socket.send(buffer, 1)
    }
    await until(udp, () => b.heard.length === 10)
    assert.equal(b.heard.map(({ text }) => text).join(''), '0123456789')
  })

  test(`${kind}: tolerates an address without a listener`, async (t) => {
    const udp = openUdp(t, kind)
    const a = await openPort(udp, '127.0.0.1')
    const gone = await openPort(udp, '127.0.0.1')
    const b = await openPort(udp, '127.0.0.1')
    gone.socket.close()
    a.socket.connect(gone.at)
    for (let i = 0; i < 5; i++) say(a.socket, 'anybody?')
    b.socket.aim(a.at)
    a.socket.aim(b.at)
    say(b.socket, 'here')
    await until(udp, () => a.heard.length === 1)
    assert.equal(a.heard[0]?.text, 'here')
  })

  test(`${kind}: rejects a port in use`, async (t) => {
    const udp = openUdp(t, kind)
    const a = await openPort(udp, '127.0.0.1')
    await assert.rejects(
      udp.open('127.0.0.1', a.at.port, () => {}),
      PortTaken,
    )
    a.socket.close()
    const again = await udp.open('127.0.0.1', a.at.port, () => {})
    assert.equal(again.port, a.at.port)
  })
}

test(
  'a released socket receives no packets, and keeps its port until the descriptor is closed',
  { skip: !udpKinds.includes('koffi') },
  async (t) => {
    const udp = openUdp(t, 'koffi')
    const us = await openPort(udp, '127.0.0.1')
    const peer = await openPort(udp, '127.0.0.1')
    peer.socket.aim(us.at)
    us.socket.release()
    say(peer.socket, 'hello')
    udp.poll(performance.now())
    assert.equal(us.heard.length, 0)
    await assert.rejects(
      udp.open('127.0.0.1', us.at.port, () => {}),
      PortTaken,
    )
    closeDescriptors([us.socket.descriptor ?? -1])
    assert.equal((await udp.open('127.0.0.1', us.at.port, () => {})).port, us.at.port)
  },
)

test('encodes and decodes socket addresses', () => {
  for (const [address, canonical] of [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ] as const) {
    const v6 = address.includes(':')
    assert.deepEqual(decodeSocketAddress(encodeSocketAddress({ address, port: 54_321 }, v6)), { address: canonical, port: 54_321 })
    assert.equal(canonicalAddress(address), canonical)
  }
})
