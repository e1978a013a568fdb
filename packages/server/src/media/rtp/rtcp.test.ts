import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ntpMiddle, parseRtcp, roundTripMs, writeRtcp, type Report, type ReportBlock } from './rtcp.ts'

const block: ReportBlock = {
  ssrc: 0xdeadbeef,
  fractionLost: 12,
  lost: -3,
  highestSequence: 0x1_fffe,
  jitter: 77,
  lastReport: 0x9abcdef0,
  sinceLastReport: 65_536,
}
const sender = { unixMs: Date.UTC(2026, 10, 15) + 250, timestamp: 0xfffffff0, packets: 500, octets: 80_000 }

const roundTrip = (report: Report, name: string, last = false) => {
  const bytes = new Uint8Array(1500)
  const length = writeRtcp(bytes, report, name, last)
  return { length, bytes, rtcp: parseRtcp(bytes, length) }
}

test('parses the sender report with CNAME that it wrote', () => {
  const report = { ssrc: 5, sender, blocks: [block, { ...block, ssrc: 2, lost: 70_000 }] }
  const { rtcp, length } = roundTrip(report, 'stream@offhook')
  assert.equal(length % 4, 0)
  assert.deepEqual(rtcp.reports, [report])
  assert.deepEqual([...rtcp.names], [[5, 'stream@offhook']])
  assert.deepEqual(rtcp.goodbyes, [])
})

test('writes a receiver report with BYE', () => {
  for (const name of ['', 'a', 'ab', 'abc', 'abcd', 'grün']) {
    const { rtcp } = roundTrip({ ssrc: 6, sender: undefined, blocks: [] }, name, true)
    assert.deepEqual(rtcp, { reports: [{ ssrc: 6, sender: undefined, blocks: [] }], goodbyes: [6], names: new Map([[6, name]]) })
  }
})

test('writes the bytes of the standard', () => {
  const { bytes } = roundTrip({ ssrc: 0x01020304, sender, blocks: [block] }, 'x')
  assert.deepEqual([...bytes.subarray(0, 8)], [0x81, 200, 0, 12, 1, 2, 3, 4])
  assert.equal(Buffer.from(bytes).readUInt32BE(8), 2_208_988_800 + Date.UTC(2026, 10, 15) / 1000)
  assert.equal(Buffer.from(bytes).readUInt32BE(12), 2 ** 30, 'a quarter of a second')
  assert.deepEqual([...bytes.subarray(28, 36)], [0xde, 0xad, 0xbe, 0xef, 12, 0xff, 0xff, 0xfd])
  assert.deepEqual([...bytes.subarray(52, 64)], [0x81, 202, 0, 2, 1, 2, 3, 4, 1, 1, 120, 0])
})

test("measures the round trip without the far end's holding time", () => {
  const sentAt = Date.UTC(2026, 10, 15, 12)
  const answer = { ...block, lastReport: ntpMiddle(sentAt), sinceLastReport: 2 * 65_536 }
  assert.ok(Math.abs(roundTripMs(answer, sentAt + 2_080)! - 80) < 0.1)
  assert.equal(roundTripMs({ ...answer, lastReport: 0 }, sentAt), undefined, 'they have no report of ours')
  assert.equal(roundTripMs(answer, sentAt + 100), undefined, 'they claim to have kept it longer than it exists')
})

test('skips other packets, and stops at one that does not fit', () => {
  const { bytes, length } = roundTrip({ ssrc: 6, sender: undefined, blocks: [] }, 'x', true)
  const feedback = [0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]
  const mixed = Uint8Array.from([...feedback, ...bytes.subarray(0, length)])
  assert.deepEqual(parseRtcp(mixed, mixed.length).goodbyes, [6])
  assert.deepEqual(parseRtcp(mixed, mixed.length - 1).goodbyes, [])
  assert.deepEqual(parseRtcp(Uint8Array.of(0x9f, 200, 0, 1, 0, 0, 0, 1), 8).reports, [], '31 blocks announced, none there')
  assert.deepEqual(parseRtcp(Uint8Array.of(0x80, 200, 0, 1, 0, 0, 0, 1), 8).reports, [], 'half a sender')
  assert.deepEqual(parseRtcp(new Uint8Array(0), 0), { reports: [], goodbyes: [], names: new Map() })
  assert.deepEqual(parseRtcp(Uint8Array.of(0x81, 202, 0, 2, 0, 0, 0, 1, 1, 200, 0, 0), 12).names, new Map(), 'name longer than the packet')
})
