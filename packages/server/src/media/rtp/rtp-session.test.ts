// test: real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamSettings } from '../engine.ts'
import { Forwarder } from './forwarder.ts'
import { RtpSession } from './rtp-session.ts'
import { writeRtcp } from './rtcp.ts'
import { writeRtpHeader } from './rtp.ts'
import type { Receive, SocketAddress, Udp, UdpSocket } from '../socket/socket.ts'

const phone = { address: '192.0.2.7', port: 4000 }
const router = { address: '203.0.113.5', port: 50_000 }
const outsider = { address: '198.51.100.9', port: 4000 }

const line: StreamSettings = {
  remote: phone,
  alsoFrom: [router.address],
  codec: 'PCMA',
  payloadType: 8,
  dtmfPayloadType: undefined,
  ptimeMs: 20,
  send: true,
  receive: true,
  srtp: undefined,
}

/** A socket whose network is the test. */
class TestSocket implements UdpSocket {
  readonly descriptor = undefined
  readonly port: number
  readonly receive: Receive
  readonly sentTo: SocketAddress[] = []
  target: SocketAddress | undefined
  connected = false

  constructor(port: number, receive: Receive) {
    this.port = port
    this.receive = receive
  }

  connect(to: SocketAddress): void {
    this.target = to
    this.connected = true
  }

  aim(to: SocketAddress): void {
    this.target = to
    this.connected = false
  }

  send(): void {
    if (this.target) this.sentTo.push(this.target)
  }

  close(): void {}
  release(): void {}
}

const openLine = async (changes: Partial<StreamSettings> = {}) => {
  const sockets: TestSocket[] = []
  const udp: Udp = {
    kind: 'dgram',
    open: async (_address, port, receive) => {
      const socket = new TestSocket(port, receive)
      sockets.push(socket)
      return socket
    },
    poll() {},
    close() {},
  }
  const notified: string[] = []
  const observer = {
    arrived() {},
    examines: true,
    handsOnTo: undefined,
    heard: () => notified.push('first'),
    sound: (state: string) => notified.push(state),
    silent: () => notified.push('timeout'),
    failed: (error: unknown) => assert.fail(String(error)),
  }
  const opened = await RtpSession.open({
    udp,
    address: '0.0.0.0',
    port: 20_000,
    silentAfterMs: { first: 30_000, later: 60_000 },
    forwarder: new Forwarder(),
    observer,
  })
  opened.configure({ ...line, ...changes }, 0)
  const [rtp, rtcp] = sockets as [TestSocket, TestSocket]
  let sequence = 0
  const says = (nowMs: number, from = phone, payloadType = 8): void => {
    const packet = new Uint8Array(172)
    writeRtpHeader(packet, payloadType, false, sequence & 0xffff, 160 * sequence++, 7)
    rtp.receive(packet, packet.length, from, nowMs)
  }
  const reports = (nowMs: number, from: SocketAddress = { ...phone, port: 4001 }, last = false): void => {
    const bytes = new Uint8Array(256)
    rtcp.receive(bytes, writeRtcp(bytes, { ssrc: 7, sender: undefined, blocks: [] }, 'phone', last), from, nowMs)
  }
  /** Ticks from one time to another, several times a second. */
  const pass = (fromMs: number, toMs: number, each: (nowMs: number) => void = () => {}): void => {
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += 200) {
      each(nowMs)
      opened.tick(nowMs)
    }
  }
  return { opened, rtp, rtcp, told: notified, says, reports, pass }
}

test('keeps a phone that sends reports but no silence, and times out one that sends neither', async () => {
  const { told: notified, says, reports, pass } = await openLine()
  says(0)
  pass(200, 300_000, (nowMs) => nowMs % 5_000 === 0 && reports(nowMs))
  assert.deepEqual(notified, ['first'])
  pass(300_200, 359_800)
  assert.deepEqual(notified, ['first', 'stopped'])
  pass(360_000, 400_000)
  assert.deepEqual(notified, ['first', 'stopped', 'timeout'])
})

test('does not count reports of unknown sources, or other packets, as a sign of life', async () => {
  const { told: notified, rtcp, reports, pass } = await openLine()
  pass(0, 40_000, (nowMs) => {
    if (nowMs % 5_000 !== 0) return
    reports(nowMs, outsider)
    rtcp.receive(Uint8Array.of(0x81, 203, 0, 1, 0, 0, 0, 7), 8, { ...phone, port: 4001 }, nowMs)
  })
  assert.deepEqual(notified, ['nothing', 'timeout'])
})

test("sends reports to the source of the far end's reports, never to an unknown source", async () => {
  const { rtcp, reports, pass, says } = await openLine()
  assert.deepEqual(rtcp.target, { ...phone, port: 4001 })
  reports(0, outsider)
  reports(0, { ...router, port: 50_009 })
  says(20, router)
  for (let i = 0; i < 5; i++) says(40, router)
  pass(200, 8_000)
  assert.ok(rtcp.sentTo.length > 0)
  assert.ok(rtcp.sentTo.every(({ port }) => port === 50_009))
})

test('reports a far end that sends from an unsignalled address, and sends it no packets', async () => {
  const { told: notified, rtp, says, pass } = await openLine()
  pass(0, 4_000, (nowMs) => says(nowMs, outsider))
  assert.deepEqual(notified, ['nothing'], 'a few packets may be the rest of something else')
  pass(4_200, 6_000, (nowMs) => says(nowMs, outsider))
  assert.deepEqual(notified, ['nothing', 'unknown_source'])
  assert.deepEqual(rtp.target, phone)
  pass(6_200, 7_000, (nowMs) => says(nowMs, router))
  assert.deepEqual(notified, ['nothing', 'unknown_source', 'first', 'heard'])
  assert.ok(rtp.connected)
  assert.deepEqual(rtp.target, router)
})

test('reports packets of another type than negotiated', async () => {
  const { told: notified, says, pass } = await openLine()
  pass(0, 6_000, (nowMs) => says(nowMs, phone, 18))
  assert.deepEqual(notified, ['nothing', 'unknown_format'])
})

test('disconnects the socket when its sender falls silent, and follows it to another port', async () => {
  const { rtp, says, pass } = await openLine()
  pass(0, 1_000, says)
  assert.ok(rtp.connected)
  pass(1_200, 2_800)
  assert.ok(!rtp.connected)
  assert.deepEqual(rtp.target, phone)
  const moved = { ...phone, port: 61_000 }
  for (let nowMs = 2_820; nowMs < 2_900; nowMs += 20) says(nowMs, moved)
  assert.deepEqual([rtp.connected, rtp.target], [false, phone])
  says(2_900, moved)
  assert.deepEqual([rtp.connected, rtp.target], [true, moved])
})

test('disconnects a leg that gets a key later: plain packets are forwarded only to connected legs', async () => {
  const { opened, rtp, says, pass } = await openLine()
  pass(0, 1_000, says)
  assert.ok(rtp.connected)
  const key = new Uint8Array(30)
  opened.configure({ ...line, srtp: { suite: 'AES_CM_128_HMAC_SHA1_80', localKey: key, remoteKey: key } }, 1_000)
  assert.ok(!rtp.connected)
})
