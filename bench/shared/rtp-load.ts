import { decodeSocketAddress, encodeSocketAddress } from '#media/socket/socket.ts'
import { ioctl, openUdp, recvfrom, sendto } from './raw-udp.ts'

/**
 * Many telephones in one process: sends G.711 to every port that sends to it, 50 packets a second each, and measures the returned packets by the
 * kernel's arrival timestamps.
 */
export interface LoadOrder {
  /** Number of ports to wait for. */
  ports: number
  /** Ports to send to before they send anything, as a bridge requires. */
  to?: readonly number[]
  settleMs: number
  measureMs: number
}

export interface LoadResult {
  sent: number
  received: number
  /** Packets of bridged calls that did not come back, by their sequence number in the payload. */
  lost: number
  /** Deviation of arrival intervals from 20 ms. */
  p50: number
  p99: number
  /** Milliseconds from sending to the return of the same payload, if it returns. */
  delayP50: number | undefined
  delayP99: number | undefined
}

const SIOCGSTAMPNS = 0x8907
const slots = 20
const packetBytes = 172

interface Peer {
  index: number
  address: Buffer
  sequence: number
  lastArrival: number
  lastSequence: number
}

const { fd, port: localPort } = openUdp('127.0.0.1', 8 << 20)
const size = Buffer.alloc(4)

const peers = new Map<number, Peer>()
const wheel: Peer[][] = Array.from({ length: slots }, () => [])
const sentAt: Float64Array[] = []
const packet = Buffer.alloc(packetBytes, 0xd5)
const incoming = Buffer.alloc(2048)
const sender = Buffer.alloc(16)
const arrival = Buffer.alloc(16)
const pillow = new Int32Array(new SharedArrayBuffer(4))
let measuring = false
let sent = 0
let received = 0
let lost = 0
/** Last returned number, by the peer that sent it. */
let numbers: number[] = []
let distances: number[] = []
let delays: number[] = []

const nowMs = (): number => performance.timeOrigin + performance.now()

const meet = (port: number): Peer => {
  const known = peers.get(port)
  if (known) return known
  const address = encodeSocketAddress({ address: '127.0.0.1', port }, false)
  const peer: Peer = { index: peers.size, address, sequence: 0, lastArrival: 0, lastSequence: -1 }
  peers.set(port, peer)
  sentAt.push(new Float64Array(256))
  wheel[peer.index % slots]?.push(peer)
  return peer
}

const send = (peer: Peer): void => {
  packet[0] = 0x80
  packet[1] = 8
  packet.writeUInt16BE(peer.sequence & 0xffff, 2)
  packet.writeUInt32BE((peer.sequence * 160) >>> 0, 4)
  packet.writeUInt32BE(peer.index + 1, 8)
  // The payload identifies the sending peer when it comes back.
  packet.writeUInt32BE((0x5a000000 | peer.index) >>> 0, 12)
  packet[16] = peer.sequence & 255
  const times = sentAt[peer.index]
  if (times) times[peer.sequence & 255] = nowMs()
  sendto(fd, packet, packetBytes, 0, peer.address, peer.address.length)
  peer.sequence++
  if (measuring) sent++
}

const receive = (): void => {
  for (;;) {
    size.writeUInt32LE(16)
    const length = recvfrom(fd, incoming, incoming.length, 0, sender, size)
    if (length < 0) return
    const { port } = decodeSocketAddress(sender)
    if (length !== packetBytes) continue
    ioctl(fd, SIOCGSTAMPNS, arrival)
    note(meet(port), Number(arrival.readBigInt64LE(0)) * 1000 + Number(arrival.readBigInt64LE(8)) / 1e6)
  }
}

const note = (peer: Peer, atMs: number): void => {
  const sequence = incoming.readUInt16BE(2)
  if (measuring) {
    received++
    if (sequence === ((peer.lastSequence + 1) & 0xffff)) distances.push(Math.abs(atMs - peer.lastArrival - 20))
    if (incoming[12] === 0x5a) noteReturned(incoming.readUInt32BE(12) & 0xffffff, incoming[16] ?? 0)
    if (incoming[12] === 0x5a) delays.push(atMs - (sentAt[incoming.readUInt32BE(12) & 0xffffff]?.[incoming[16] ?? 0] ?? atMs))
  }
  peer.lastArrival = atMs
  peer.lastSequence = sequence
}

const noteReturned = (origin: number, number: number): void => {
  const last = numbers[origin]
  if (last !== undefined) lost += (number - last - 1) & 255
  numbers[origin] = number
}

const percentile = (values: number[], share: number): number =>
  Math.round((values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN) * 100) / 100

const result = (): LoadResult => ({
  sent,
  received,
  lost,
  p50: percentile(distances, 0.5),
  p99: percentile(distances, 0.99),
  delayP50: delays.length > 0 ? percentile(delays, 0.5) : undefined,
  delayP99: delays.length > 0 ? percentile(delays, 0.99) : undefined,
})

let order: LoadOrder | undefined
let from = Infinity

/** Starts, ends and reports a measurement on schedule. */
const watchTheClock = (now: number): void => {
  if (!order) return
  if (from === Infinity && peers.size >= order.ports) from = now + order.settleMs
  if (!measuring && now >= from) {
    measuring = true
    process.send?.('measuring')
  }
  if (now < from + order.measureMs) return
  process.send?.('measured')
  process.send?.(result())
  order = undefined
  measuring = false
}

process.on('message', (next: LoadOrder) => {
  for (const port of next.to ?? []) meet(port)
  order = next
  from = Infinity
  distances = []
  delays = []
  numbers = []
  sent = received = lost = 0
})
process.on('disconnect', () => process.exit())
process.send?.({ port: localPort })

let slot = 0
let due = performance.now()
for (;;) {
  const now = performance.now()
  watchTheClock(now)
  for (; due <= now; due++) {
    for (const peer of wheel[slot] ?? []) send(peer)
    slot = (slot + 1) % slots
  }
  receive()
  const rest = due - performance.now()
  if (rest > 0) Atomics.wait(pillow, 0, 0, Math.min(rest, 0.5))
  await new Promise(setImmediate)
}
