import assert from 'node:assert/strict'
import { test } from 'node:test'
import { G711 } from '../codec/g711.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from './rtp.ts'
import { Sender } from './sender.ts'

interface Sent {
  payloadType: number
  marker: boolean
  sequence: number
  timestamp: number
  ssrc: number
  payload: string
}

const start = (changes: { dtmfPayloadType?: number; ptimeMs?: number } = {}) => {
  const sent: Sent[] = []
  const packet = new RtpPacket()
  const settings = { codec: new G711('PCMA'), payloadType: 8, dtmfPayloadType: changes.dtmfPayloadType, ptimeMs: changes.ptimeMs ?? 20 }
  const sender = new Sender(settings, (bytes, length) => {
    assert.ok(parseRtp(bytes, length, packet))
    const { payloadType, marker, sequence, timestamp, ssrc, payloadStart, payloadEnd } = packet
    sent.push({
      payloadType,
      marker,
      sequence,
      timestamp,
      ssrc,
      payload: Buffer.from(bytes.subarray(payloadStart, payloadEnd)).toString('hex'),
    })
  })
  return { sender, sent, settings }
}

/** A packet from another leg; with a header extension if `extended`. */
const arrived = (sequence: number, timestamp: number, { payload = 'aabb', ssrc = 99, extended = false } = {}): RtpPacket => {
  const bytes = Buffer.alloc(200)
  writeRtpHeader(bytes, 8, false, sequence, timestamp, ssrc)
  const start = extended ? 20 : 12
  if (extended) {
    bytes[0]! |= 0x10
    bytes.writeUInt16BE(1, 14)
  }
  const length = start + bytes.write(payload, start, 'hex')
  const packet = new RtpPacket()
  assert.ok(parseRtp(bytes, length, packet))
  return packet
}

const frame = new Int16Array(160)
const steps = (sent: Sent[]): [number, number][] =>
  sent.slice(1).map((now, i) => [(now.sequence - sent[i]!.sequence) & 0xffff, (now.timestamp - sent[i]!.timestamp) >>> 0])

test('packetizes frames in the negotiated length', () => {
  for (const [ptimeMs, packets] of [
    [10, 12],
    [20, 6],
    [30, 4],
    [40, 3],
    [60, 2],
  ] as const) {
    const { sender, sent } = start({ ptimeMs })
    let notified = 0
    for (let i = 0; i < 6; i++) notified += sender.frame(frame, i * 20)
    assert.equal(notified, packets)
    assert.equal(sent.length, packets)
    assert.ok(sent.every(({ payload }) => payload.length === ptimeMs * 16))
    assert.ok(steps(sent).every(([sequence, timestamp]) => sequence === 1 && timestamp === ptimeMs * 8))
    assert.deepEqual(
      sent.map(({ marker }) => marker),
      sent.map((_, i) => i === 0),
    )
  }
})

test('advances the timestamp over a pause', () => {
  const { sender, sent } = start()
  sender.frame(frame, 0)
  sender.frame(frame, 20)
  sender.frame(frame, 1040)
  assert.deepEqual(steps(sent), [
    [1, 160],
    [1, 160 + 1000 * 8],
  ])
  assert.equal(sent[2]?.marker, true)
})

test('forwards packets of another leg in its own sequence, including gaps', () => {
  const { sender, sent } = start()
  sender.frame(frame, 0)
  sender.relay(arrived(65_534, 4_294_967_200), 20)
  sender.relay(arrived(65_535, 64), 40)
  sender.relay(arrived(1, 64 + 320, { extended: true, payload: 'ccdd' }), 80)
  sender.frame(frame, 100)
  assert.deepEqual(steps(sent), [
    [1, 160],
    [1, 160],
    [2, 320],
    [1, 160],
  ])
  assert.deepEqual(
    sent.map(({ marker }) => marker),
    [true, true, false, false, true],
  )
  assert.deepEqual(sent.map(({ payload }) => payload).slice(1, 4), ['aabb', 'aabb', 'ccdd'])
  assert.equal(new Set(sent.map(({ ssrc }) => ssrc)).size, 1)
})

test('a late packet keeps its position if it is free; a duplicate is dropped', () => {
  const { sender, sent } = start()
  sender.relay(arrived(100, 16_000), 0)
  sender.relay(arrived(102, 16_320), 40)
  sender.relay(arrived(101, 16_160), 41)
  sender.relay(arrived(102, 16_320), 42)
  sender.relay(arrived(99, 15_840), 43)
  assert.deepEqual(steps(sent), [
    [2, 320],
    [0xffff, -160 >>> 0],
  ])
})

test('continues the sequence for another or a restarted source', () => {
  const { sender, sent } = start()
  sender.relay(arrived(100, 16_000), 0)
  sender.relay(arrived(40_000, 5, { ssrc: 1 }), 20)
  sender.relay(arrived(7, 700_000, { ssrc: 1 }), 40)
  assert.ok(steps(sent).every(([sequence, timestamp]) => sequence === 1 && timestamp === 160))
  assert.ok(sent.every(({ marker }) => marker))
})

test('its own DTMF replaces audio', () => {
  const { sender, sent } = start({ dtmfPayloadType: 101 })
  sender.dtmf('5')
  for (let i = 0; i < 14; i++) sender.frame(frame, i * 20)
  assert.equal(sender.sendsDtmf, false)
  const keys = sent.filter(({ payloadType }) => payloadType === 101)
  assert.ok(keys.length >= 8 && keys.every(({ timestamp }) => timestamp === keys[0]!.timestamp))
  assert.ok(steps(sent).every(([sequence]) => sequence === 1))
})
