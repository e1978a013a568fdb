import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { level, randomOf, toneLevel, toneToRest } from '#test/sound/spectrum.ts'
import { G722 } from './g722.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from '../rtp/rtp.ts'
import { sine } from '../sound/tone.ts'

const digest = (bytes: NodeJS.ArrayBufferView): string => createHash('sha256').update(bytes).digest('hex')

/** A triangle wave, first with little noise, then with much; integers only, so that it is the same everywhere. */
const signal = (): Int16Array => {
  let seed = 722
  return Int16Array.from({ length: 16_000 }, (_, i) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const noise = (seed >>> 18) - 8192
    return Math.abs(((i * 37) % 1600) - 800) * 16 - 6400 + (i >= 8000 ? noise : noise >> 5)
  })
}

test('encodes and decodes bit-exactly like another implementation (digests taken from spandsp 0.0.6)', () => {
  const codec = new G722()
  const bytes = new Uint8Array(8000)
  assert.equal(codec.encode(signal(), bytes, 0), 8000)
  assert.equal(digest(bytes), '8b99b822d88383e45e37604a9022026084780295c9437143d91d0c1e19c9ddb5')
  const pcm = new Int16Array(16_000)
  assert.equal(codec.decode(bytes, 0, 8000, pcm, 0), 16_000)
  assert.equal(digest(pcm), '2f535624dde686dadb187cc725d9b44fbae90ab9bb03b0dc9087cbd4a47197b6')
})

test('encodes frame by frame like the whole, and keeps the directions independent', () => {
  const whole = new G722()
  const parts = new G722()
  const pcm = signal()
  const expected = new Uint8Array(8000)
  whole.encode(pcm, expected, 0)
  const expectedPcm = new Int16Array(16_000)
  whole.decode(expected, 0, 8000, expectedPcm, 0)
  const bytes = new Uint8Array(8000)
  const heard = new Int16Array(16_000)
  for (let i = 0; i < 50; i++) {
    assert.equal(parts.encode(pcm.subarray(i * 320, i * 320 + 320), bytes, i * 160), 160)
    assert.equal(parts.decode(bytes, i * 160, i * 160 + 160, heard, i * 320), 320)
  }
  assert.deepEqual(bytes, expected)
  assert.deepEqual(heard, expectedPcm)
})

test('passes tones up to 7 kHz at their level, clearly above the codec noise', () => {
  for (const [frequency, distance] of [
    [300, 30],
    [1000, 30],
    [2500, 30],
    [3500, 25],
    [5000, 15],
    [6500, 15],
  ] as const) {
    const codec = new G722()
    const bytes = new Uint8Array(4800)
    codec.encode(sine([frequency], 600, 16_000, -10), bytes, 0)
    const pcm = new Int16Array(9600)
    codec.decode(bytes, 0, 4800, pcm, 0)
    const middle = pcm.subarray(3200, 6400)
    assert.ok(Math.abs(toneLevel(middle, frequency, 16_000) + 10) < 0.6, `${frequency} Hz at ${toneLevel(middle, frequency, 16_000)} dB`)
    assert.ok(toneToRest(middle, frequency, 16_000) > distance, `${frequency} Hz: ${toneToRest(middle, frequency, 16_000)} dB`)
  }
})

test('saturates the loudest sound, decodes any bytes, and keeps silence silent', () => {
  const codec = new G722()
  const bytes = new Uint8Array(1600)
  const pcm = new Int16Array(3200)
  codec.encode(
    pcm.map((_, i) => (i % 74 < 37 ? 32767 : -32768)),
    bytes,
    0,
  )
  codec.decode(bytes, 0, 1600, pcm, 0)
  for (let i = 740; i < 3100; i += 74) assert.ok(pcm[i + 40]! * pcm[i + 77]! < 0, 'still a square wave')
  const random = randomOf(4)
  codec.decode(
    bytes.map(() => random() * 256),
    0,
    1600,
    pcm,
    0,
  )
  const quiet = new G722()
  quiet.encode(new Int16Array(3200), bytes, 0)
  quiet.decode(bytes, 0, 1600, pcm, 0)
  assert.ok(level(pcm) < -70)
  assert.equal(quiet.decode(bytes, 0, 1600, new Int16Array(101), 1), 100, 'never behind the end')
})

test('the jitter buffer returns 320 samples for 160 ticks', () => {
  const sender = new G722()
  const buffer = new JitterBuffer(new G722())
  assert.equal(buffer.frameSamples, 320)
  const pcm = sine([1000], 2000, 16_000, -10)
  const packet = new RtpPacket()
  const heard = new Int16Array(100 * 320)
  for (let i = 0; i < 100; i++) {
    const bytes = new Uint8Array(172)
    writeRtpHeader(bytes, 9, false, i, i * 160, 5)
    sender.encode(pcm.subarray(i * 320, i * 320 + 320), bytes, 12)
    assert.ok(parseRtp(bytes, 172, packet))
    if (i !== 60) buffer.put(packet, i * 20)
    buffer.take(heard.subarray(i * 320, i * 320 + 320), i * 20 + 3)
  }
  assert.equal(buffer.framesConcealed, 1)
  assert.ok(toneToRest(heard.subarray(3200, 16_000), 1000, 16_000) > 30)
  assert.ok(toneToRest(heard.subarray(25_600, 31_000), 1000, 16_000) > 20, 'the codec finds back after the loss')
})
