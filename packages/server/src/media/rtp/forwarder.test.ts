import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCodec } from '../codec/create-codec.ts'
import { Forwarder } from './forwarder.ts'
import { Reception } from './reception.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from './rtp.ts'
import { Sender } from './sender.ts'

const size = 172

const packetOf = (sequence: number, { payloadType = 8, ssrc = 0xfedcba98 } = {}): Uint8Array => {
  const bytes = new Uint8Array(300)
  writeRtpHeader(bytes, payloadType, false, sequence & 0xffff, sequence * 160, ssrc)
  return bytes
}

/** A leg that forwards its packets to another one. The first packet is always inspected; it starts a new sequence there. */
const handingOn = () => {
  const forwarder = new Forwarder()
  const sent: Uint8Array[] = []
  const [from, to] = [forwarder.open(() => {}), forwarder.open((bytes, length) => sent.push(bytes.slice(0, length)))]
  const reception = new Reception(8000, forwarder.rows, from)
  const settings = { codec: createCodec('PCMA'), payloadType: 8, dtmfPayloadType: undefined, ptimeMs: 20 }
  const sender = new Sender(settings, (bytes, length) => forwarder.transmit(to, bytes, length), forwarder.rows, to)
  const lookedAt = (bytes: Uint8Array, nowMs: number): void => {
    const packet = new RtpPacket()
    assert.ok(parseRtp(bytes, size, packet))
    reception.receive(packet.sequence, packet.timestamp, packet.ssrc, nowMs)
    sender.relay(packet, nowMs)
  }
  return { forwarder, from, to, reception, sender, sent, lookedAt }
}

test("forwards packets in the other leg's sequence and counts them like inspected ones", () => {
  const { forwarder, from, to, reception, sender, sent, lookedAt } = handingOn()
  const first = packetOf(65_530)
  lookedAt(first, 0)
  forwarder.settle(from, 8, to)
  const numbers = [(sent[0]![2]! << 8) | sent[0]![3]!]
  for (let i = 1; i < 20; i++) {
    const bytes = packetOf(65_530 + i)
    assert.equal(forwarder.takes(from, bytes, size, 20 * i), to)
    numbers.push((bytes[2]! << 8) | bytes[3]!)
    assert.equal(new DataView(bytes.buffer).getUint32(8), sender.ssrc)
  }
  for (let i = 1; i < numbers.length; i++) assert.equal((numbers[i]! - numbers[i - 1]!) & 0xffff, 1)
  assert.deepEqual([reception.packets, reception.lost, sender.packets, sender.octets], [20, 0, 20, 20 * 160])
  assert.equal(reception.ssrc, 0xfedcba98)
  assert.equal(sender.relayedMs, 380)
  const twice = packetOf(65_530 + 19)
  assert.equal(forwarder.takes(from, twice, size, 400), 0, 'its place is taken')
  assert.equal(sender.packets, 20)
})

test('leaves other types, other sources and packets after a change for inspection, uncounted', () => {
  const { forwarder, from, to, reception, lookedAt } = handingOn()
  lookedAt(packetOf(1), 0)
  forwarder.settle(from, 8, to)
  const padded = packetOf(2)
  padded[0] = 0xa0
  for (const bytes of [packetOf(2, { payloadType: 13 }), packetOf(2, { ssrc: 5 }), packetOf(40_000), padded])
    assert.equal(forwarder.takes(from, bytes, size, 20), -1)
  assert.equal(forwarder.takes(from, packetOf(2), 12, 20), -1, 'empty')
  assert.equal(forwarder.takes(from, packetOf(2).subarray(0, size), size, 20), -1, 'without room for a tag')
  forwarder.changed()
  assert.equal(forwarder.takes(from, packetOf(2), size, 20), -1)
  assert.equal(reception.packets, 1)
  forwarder.settle(from, 8, 0)
  assert.equal(forwarder.takes(from, packetOf(2), size, 20), 0, 'nobody hears it')
  forwarder.lookAt(from)
  assert.equal(forwarder.takes(from, packetOf(3), size, 40), -1)
  forwarder.settle(from, 72, 0)
  assert.equal(forwarder.takes(from, packetOf(3, { payloadType: 72 }), size, 40), -1, 'it may be RTCP')
  assert.equal(reception.packets, 2)
})

test('reuses rows, and keeps existing ones when growing', () => {
  const forwarder = new Forwarder()
  const reception = new Reception(
    8000,
    forwarder.rows,
    forwarder.open(() => {}),
  )
  reception.receive(1, 0, 9, 0)
  const rows = Array.from({ length: 300 }, () => forwarder.open(() => {}))
  assert.equal(new Set(rows).size, 300)
  assert.deepEqual([reception.packets, reception.ssrc], [1, 9])
  forwarder.close(rows[7]!)
  assert.equal(
    forwarder.open(() => {}),
    rows[7],
  )
})
