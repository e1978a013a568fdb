import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRtcp, parseRtp, RtpPacket, writeRtpHeader } from './rtp.ts'

const header = (first: number): number[] => [first, 0x80 | 8, 0x12, 0x34, 0xfe, 0xdc, 0xba, 0x98, 0x87, 0x65, 0x43, 0x21]

const parse = (...bytes: number[]): RtpPacket | undefined => {
  const packet = new RtpPacket()
  return parseRtp(Uint8Array.from(bytes), bytes.length, packet) ? packet : undefined
}

const payloadOf = (packet: RtpPacket | undefined): number[] | undefined =>
  packet && [...packet.bytes.subarray(packet.payloadStart, packet.payloadEnd)]

test('reads every field of a plain header', () => {
  const packet = parse(...header(0x80), 1, 2, 3)
  assert.ok(packet)
  assert.deepEqual(
    [packet.marker, packet.payloadType, packet.sequence, packet.timestamp, packet.ssrc],
    [true, 8, 0x1234, 0xfedcba98, 0x87654321],
  )
  assert.deepEqual(payloadOf(packet), [1, 2, 3])
})

test('skips contributing sources, header extension and padding', () => {
  const sources = Array.from({ length: 8 }, (_, index) => index)
  const extension = [0xbe, 0xde, 0, 1, 9, 9, 9, 9]
  assert.deepEqual(payloadOf(parse(...header(0x82), ...sources, 7)), [7])
  assert.deepEqual(payloadOf(parse(...header(0x90), ...extension, 7)), [7])
  assert.deepEqual(payloadOf(parse(...header(0xa0), 7, 0, 0, 3)), [7])
  assert.deepEqual(payloadOf(parse(...header(0xb2), ...sources, ...extension, 7, 8, 0, 2)), [7, 8])
  assert.deepEqual(payloadOf(parse(...header(0x80))), [])
})

test('rejects packets that are not RTP or claim more than their length', () => {
  assert.equal(parse(...header(0x80).slice(0, 11)), undefined, 'too short')
  assert.equal(parse(...header(0x40), 1), undefined, 'version 1')
  assert.equal(parse(...header(0x8f), 1, 2, 3, 4), undefined, 'fifteen sources, one there')
  assert.equal(parse(...header(0x90), 0xbe, 0xde), undefined, 'half an extension header')
  assert.equal(parse(...header(0x90), 0xbe, 0xde, 0xff, 0xff, 1), undefined, 'extension longer than the packet')
  assert.equal(parse(...header(0xa0), 1, 200), undefined, 'padding longer than the packet')
  assert.equal(parse(...header(0xa0), 1, 0), undefined, 'padding of nothing')
  assert.equal(parseRtp(new Uint8Array(20), 40, new RtpPacket()), false, 'length beyond the buffer')
})

test('reads the header that it wrote, and wraps counters', () => {
  const bytes = new Uint8Array(20)
  writeRtpHeader(bytes, 101, true, 65536 + 5, 2 ** 32 + 160, 0xdeadbeef)
  const packet = new RtpPacket()
  assert.ok(parseRtp(bytes, 20, packet))
  assert.deepEqual([packet.marker, packet.payloadType, packet.sequence, packet.timestamp, packet.ssrc], [true, 101, 5, 160, 0xdeadbeef])
  writeRtpHeader(bytes, 0, false, 65535, 0xffffffff, 1)
  assert.ok(parseRtp(bytes, 20, packet))
  assert.deepEqual([packet.marker, packet.payloadType, packet.sequence, packet.timestamp], [false, 0, 65535, 0xffffffff])
})

test('distinguishes RTCP from RTP on the same port', () => {
  assert.equal(isRtcp(Uint8Array.of(0x80, 200, 0, 1, 0, 0, 0, 0), 8), true)
  assert.equal(isRtcp(Uint8Array.of(0x80, 0x80 | 8, 0, 1, 0, 0, 0, 0), 8), false)
  assert.equal(isRtcp(Uint8Array.of(0x80, 200, 0, 1), 4), false)
  assert.equal(isRtcp(Uint8Array.of(0x16, 254, 253, 0, 0, 0, 0, 0), 8), false)
})
