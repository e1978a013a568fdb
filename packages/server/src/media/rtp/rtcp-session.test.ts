import assert from 'node:assert/strict'
import { test } from 'node:test'
import { G711 } from '../codec/g711.ts'
import { Reception } from './reception.ts'
import { RtcpSession, parseRtcp, type Rtcp } from './rtcp.ts'
import { Sender } from './sender.ts'

const start = (nowMs = 0) => {
  const sent: { bytes: Uint8Array; rtcp: Rtcp }[] = []
  const settings = { codec: new G711('PCMA'), payloadType: 8, dtmfPayloadType: undefined, ptimeMs: 20 }
  const sender = new Sender(settings, () => {})
  const reception = new Reception(8000)
  const session = new RtcpSession('a@b', nowMs, (bytes, length) => {
    const copy = bytes.slice(0, length)
    sent.push({ bytes: copy, rtcp: parseRtcp(copy, length) })
  })
  return { session, sender, reception, sent }
}

test('sends reports every 2.5 to 7.5 seconds', () => {
  const { session, sender, reception, sent } = start()
  const times: number[] = []
  for (let nowMs = 0; nowMs < 60_000; nowMs += 200) {
    const before = sent.length
    session.tick(nowMs, sender, reception)
    if (sent.length > before) times.push(nowMs)
  }
  assert.ok(times.length >= 8 && times.length <= 24)
  for (let i = 1; i < times.length; i++) assert.ok(times[i]! - times[i - 1]! >= 2_500 && times[i]! - times[i - 1]! <= 7_800)
})

test('sends sender reports only while sending, each with its reception statistics', () => {
  const { session, sender, reception, sent } = start()
  for (const sequence of [1, 2, 4]) reception.receive(sequence, sequence * 160, 77, sequence * 20)
  session.tick(8_000, sender, reception)
  assert.equal(sent[0]?.rtcp.reports[0]?.sender, undefined)
  const block = sent[0]?.rtcp.reports[0]?.blocks[0]
  assert.equal(block?.ssrc, 77)
  assert.equal(block?.lost, 1)
  assert.equal(block?.fractionLost, 64)
  sender.frame(new Int16Array(160), 8_000)
  session.goodbye(9_000, sender, reception)
  assert.equal(sent[1]?.rtcp.reports[0]?.sender?.packets, 1)
  assert.equal(sent[1]?.rtcp.reports[0]?.sender?.octets, 160)
  assert.deepEqual(sent[1]?.rtcp.goodbyes, [sender.ssrc])
})

test('measures the round trip from both reports', () => {
  const us = start()
  const they = start()
  us.sender.frame(new Int16Array(160), 0)
  us.session.tick(10_000, us.sender, us.reception)
  const report = us.sent[0]!
  they.reception.receive(1, 160, us.sender.ssrc, 10_030)
  they.session.receive(report.bytes, report.bytes.length, 10_030, they.sender)
  they.session.tick(12_000, they.sender, they.reception)
  they.session.tick(22_000, they.sender, they.reception)
  const answer = they.sent[0]!
  us.session.receive(answer.bytes, answer.bytes.length, 12_070, us.sender)
  assert.ok(Math.abs((us.session.roundTripMs ?? 0) - 100) < 2, String(us.session.roundTripMs))
})
