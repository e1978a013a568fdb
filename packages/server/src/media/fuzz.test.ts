// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '#test/sound/spectrum.ts'
import { DtmfReceiver, DtmfSender } from './dtmf/dtmf-events.ts'
import { G711 } from './codec/g711.ts'
import { G722 } from './codec/g722.ts'
import { JitterBuffer } from './jitter/jitter-buffer.ts'
import { parseRtcp, writeRtcp } from './rtp/rtcp.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from './rtp/rtp.ts'
import { repairWav } from './recording/recorder.ts'
import { Srtp } from './rtp/srtp.ts'
import { sine } from './sound/tone.ts'
import { readWav, wavFile, WavError } from './sound/wav.ts'

/** Hostile input, made from valid input with a seeded generator. FUZZ multiplies the rounds. */
const rounds = (count: number): number => count * Number(process.env['FUZZ'] ?? 1)
const interesting = [0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x40]

const mutate = (good: Uint8Array, random: () => number): Uint8Array => {
  const bytes = good.slice(0, random() < 0.3 ? Math.floor(random() * (good.length + 1)) : good.length)
  for (let changes = 1 + Math.floor(random() * 6); changes > 0 && bytes.length > 0; changes--) {
    const at = Math.floor(random() * Math.min(bytes.length, random() < 0.7 ? 64 : bytes.length))
    bytes[at] = random() < 0.5 ? interesting[Math.floor(random() * interesting.length)]! : random() * 256
  }
  return bytes
}

const goodRtp = (): Uint8Array => {
  const bytes = new Uint8Array(200)
  writeRtpHeader(bytes, 8, false, 7, 1120, 9)
  return bytes
}

test('RTP: parses or rejects, with the payload always inside the packet', () => {
  const random = randomOf(11)
  const packet = new RtpPacket()
  const good = goodRtp()
  for (let i = 0; i < rounds(200_000); i++) {
    const bytes = mutate(good, random)
    if (!parseRtp(bytes, bytes.length, packet)) continue
    assert.ok(packet.payloadStart >= 12 && packet.payloadStart <= packet.payloadEnd && packet.payloadEnd <= bytes.length)
  }
})

test('jitter buffer: fills every frame and does not grow for any packets in any order at any time', () => {
  for (const codec of [new G711('PCMU'), new G722()]) {
    const random = randomOf(12)
    const buffer = new JitterBuffer(codec)
    const packet = new RtpPacket()
    const pcm = new Int16Array(buffer.frameSamples)
    let [now, sequence] = [0, 0]
    for (let i = 0; i < rounds(60_000); i++) {
      const bytes = new Uint8Array(12 + Math.floor(random() * (random() < 0.1 ? 600 : 320)))
      sequence += random() < 0.9 ? 1 : Math.floor((random() - 0.5) * 70_000)
      const timestamp = random() < 0.9 ? sequence * 160 : random() * 2 ** 32
      writeRtpHeader(bytes, 0, false, sequence & 0xffff, timestamp, random() < 0.999 ? 1 : random() * 2 ** 32)
      assert.ok(parseRtp(bytes, bytes.length, packet))
      if (random() < 0.9) buffer.put(packet, now)
      else buffer.skip(packet)
      if (random() < 0.8) assert.ok(['audio', 'concealed', 'silence'].includes(buffer.take(pcm, now)))
      now += random() < 0.99 ? random() * 40 : random() * 5_000
    }
    assert.ok(buffer.targetDelayMs >= 20 && buffer.targetDelayMs <= 200)
  }
})

test('RTCP: reads no more than was sent', () => {
  const random = randomOf(13)
  const block = { ssrc: 1, fractionLost: 1, lost: 1, highestSequence: 1, jitter: 1, lastReport: 1, sinceLastReport: 1 }
  const whole = new Uint8Array(1500)
  const sender = { unixMs: 1e12, timestamp: 1, packets: 1, octets: 1 }
  const good = whole.slice(0, writeRtcp(whole, { ssrc: 1, sender, blocks: [block, block] }, 'name', true))
  for (let i = 0; i < rounds(100_000); i++) {
    const bytes = mutate(good, random)
    const rtcp = parseRtcp(bytes, bytes.length)
    assert.ok(
      rtcp.reports.reduce((sum, report) => sum + report.blocks.length, 0) * 24 <= bytes.length && rtcp.goodbyes.length * 4 <= bytes.length,
    )
  }
})

test('DTMF: reports at most one key per packet', () => {
  const random = randomOf(14)
  const sender = new DtmfSender(8000, 20)
  sender.add('1')
  sender.next(0)
  const receiver = new DtmfReceiver()
  for (let i = 0; i < rounds(200_000); i++) {
    const bytes = mutate(sender.payload, random)
    assert.match(receiver.receive(bytes, 0, bytes.length, (random() * 2 ** 32) >>> 0, Math.floor(random() * 3)), /^[0-9*#A-D]?$/)
  }
})

test('WAV: reads within its limits, or rejects with a reason', () => {
  const random = randomOf(15)
  const good = wavFile(sine([500], 30, 8000), 8000)
  let [read, refused] = [0, 0]
  for (let i = 0; i < rounds(50_000); i++) {
    try {
      assert.ok(readWav(mutate(good, random)).samples.length <= good.length)
      read++
    } catch (error) {
      assert.ok(error instanceof WavError && error.message.length > 10, String(error))
      refused++
    }
  }
  assert.ok(read > 1000 && refused > 1000)
})

test('repair: repairs or ignores any file, and is idempotent', () => {
  const random = randomOf(16)
  const good = wavFile(sine([500], 5, 8000), 8000)
  for (let i = 0; i < rounds(20_000); i++) {
    const bytes = mutate(good, random)
    const file = {
      size: () => bytes.length,
      read: (into: Uint8Array, offset: number, length: number, position: number) => {
        into.set(bytes.subarray(position, position + length), offset)
        return Math.min(length, bytes.length - position)
      },
      write: (from: Uint8Array, offset: number, length: number, position: number) => {
        bytes.set(from.subarray(offset, offset + length), position)
        return length
      },
    }
    const before = bytes.slice()
    const first = repairWav(file)
    if (first.state !== 'repaired') assert.deepEqual(bytes, before)
    const second = repairWav(file)
    assert.equal(second.state, first.state === 'foreign' ? 'foreign' : 'whole')
  }
})

test('SRTP: accepts no forged packet, and still accepts genuine ones', () => {
  const random = randomOf(17)
  const key = Buffer.alloc(30, 3)
  for (const suite of ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const) {
    const ours = new Srtp(key, suite)
    const theirs = new Srtp(key, suite)
    for (let i = 0; i < rounds(4_000); i++) {
      const bytes = new Uint8Array(220)
      writeRtpHeader(bytes, 8, false, i & 0xffff, i * 160, 9)
      const length = ours.protect(bytes, 172)
      const forged = mutate(bytes.subarray(0, length), random)
      const same = forged.length === length && forged.every((byte, at) => byte === bytes[at])
      if (!same) assert.equal(theirs.unprotect(forged, forged.length), -1)
      assert.equal(theirs.unprotectRtcp(mutate(bytes, random), Math.floor(random() * 230)), -1)
      assert.equal(theirs.unprotect(bytes, length), 172)
    }
  }
})
