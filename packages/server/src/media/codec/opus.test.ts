import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { level, randomOf, toneLevel } from '#test/sound/spectrum.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { Opus, opusPacketMs, prepareOpus } from './opus.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from '../rtp/rtp.ts'
import { sine } from '../sound/tone.ts'

before(() => prepareOpus(16))

const frames = (pcm: Int16Array): Int16Array[] => Array.from({ length: pcm.length / 320 }, (_, i) => pcm.subarray(i * 320, i * 320 + 320))

const encode = (codec: Opus, pcm: Int16Array): Uint8Array[] =>
  frames(pcm).map((frame) => {
    const bytes = new Uint8Array(1275)
    return bytes.slice(0, codec.encode(frame, bytes, 0))
  })

test('passes a wideband tone at its level', (t) => {
  const codec = new Opus()
  t.after(() => codec.close())
  for (const frequency of [500, 1000, 3000, 6000]) {
    const packets = encode(codec, sine([frequency], 600, 16_000, -12))
    const out = new Int16Array(packets.length * 320)
    packets.forEach((packet, i) => assert.equal(codec.decode(packet, 0, packet.length, out, i * 320), 320))
    assert.ok(Math.abs(toneLevel(out.subarray(3200, 8000), frequency, 16_000) + 12) < 3, `${frequency} Hz`)
    assert.ok(packets.every((packet) => packet.length < 200))
  }
})

test('reads the duration of a packet from its first bytes', (t) => {
  const codec = new Opus()
  t.after(() => codec.close())
  const [packet] = encode(codec, sine([500], 20, 16_000))
  assert.equal(codec.samples(packet!, 0, packet!.length), 320)
  const ms = (...bytes: number[]): number => opusPacketMs(Uint8Array.from(bytes), 0, bytes.length)
  assert.deepEqual([ms(0x08), ms(0x18), ms(3 << 3, 1), ms(12 << 3), ms(13 << 3), ms(16 << 3), ms(31 << 3)], [20, 60, 60, 10, 20, 2.5, 20])
  assert.deepEqual([ms(0x09), ms(0x0a), ms(0x0b, 3), ms(0x0b)], [40, 40, 60, 0])
  assert.equal(ms(0x1b, 63), 0, 'longer than a packet may be')
  assert.equal(opusPacketMs(new Uint8Array(0), 0, 0), 0)
})

test('decodes no samples from an invalid packet and does not throw', (t) => {
  const codec = new Opus()
  t.after(() => codec.close())
  const into = new Int16Array(1920)
  assert.equal(codec.decode(new Uint8Array(0), 0, 0, into, 0), 0)
  assert.equal(codec.decode(Uint8Array.of(0x0b, 63, 1), 0, 3, into, 0), 0)
  const random = randomOf(1)
  for (let i = 0; i < 2000; i++) {
    const bytes = Uint8Array.from({ length: 1 + Math.floor(random() * 60) }, () => random() * 256)
    assert.ok(codec.decode(bytes, 0, bytes.length, into, 0) <= 1920)
  }
})

/** A voice-like sound: concealment of a steady tone would be too easy. */
const voice = (): Int16Array => {
  const pcm = new Int16Array(16_000)
  let [one, two, phase] = [0, 0, 0]
  for (let i = 0; i < pcm.length; i++) {
    phase += (110 + 40 * Math.sin(i / 3000)) / 16_000
    const next = (phase >= 1 ? 1 : 0) + 1.9 * Math.cos((2 * Math.PI * 700) / 16_000) * one - 0.93 * two
    if (phase >= 1) phase -= 1
    two = one
    one = next
    pcm[i] = next * 3000
  }
  return pcm
}

test('restores a lost packet from the next one, better than concealment', (t) => {
  const sent = encodeOnce(voice())
  const [whole, restored, madeUp] = [new Opus(), new Opus(), new Opus()]
  t.after(() => [whole, restored, madeUp].forEach((codec) => codec.close()))
  let [errorRestored, errorMadeUp] = [0, 0]
  const [a, b, c] = [new Int16Array(320), new Int16Array(320), new Int16Array(320)]
  sent.forEach((packet, i) => {
    whole.decode(packet, 0, packet.length, a, 0)
    const next = sent[i + 1]
    if (i % 10 === 5 && next) {
      assert.equal(restored.recover(next, 0, next.length, b, 0), 320)
      madeUp.conceal(c, 0, 320)
      errorRestored += difference(a, b)
      errorMadeUp += difference(a, c)
    } else {
      restored.decode(packet, 0, packet.length, b, 0)
      madeUp.decode(packet, 0, packet.length, c, 0)
    }
  })
  assert.ok(errorRestored < errorMadeUp, `${errorRestored} against ${errorMadeUp}`)
})

const encodeOnce = (pcm: Int16Array): Uint8Array[] => {
  const codec = new Opus()
  const packets = encode(codec, pcm)
  codec.close()
  return packets
}
const difference = (one: Int16Array, other: Int16Array): number => one.reduce((sum, sample, i) => sum + (sample - other[i]!) ** 2, 0)

test('the jitter buffer counts 48 ticks per millisecond and uses FEC', (t) => {
  const packets = encodeOnce(voice())
  const codec = new Opus()
  t.after(() => codec.close())
  const buffer = new JitterBuffer(codec)
  const packet = new RtpPacket()
  const pcm = new Int16Array(buffer.frameSamples)
  let [heard, loud] = [0, 0]
  packets.forEach((payload, i) => {
    const bytes = new Uint8Array(12 + payload.length)
    writeRtpHeader(bytes, 111, false, i, i * 960, 5)
    bytes.set(payload, 12)
    assert.ok(parseRtp(bytes, bytes.length, packet))
    if (i !== 20) buffer.put(packet, i * 20)
    if (buffer.take(pcm, i * 20 + 3) === 'audio') heard++
    if (level(pcm) > -50) loud++
  })
  assert.equal(buffer.framesConcealed, 0, 'restored, not made up')
  assert.ok(heard >= 47 && loud >= 45)
})

test('throws without a spare pair and works with one', async () => {
  await prepareOpus(1)
  const taken: Opus[] = []
  assert.throws(() => {
    for (;;) taken.push(new Opus())
  }, /prepared/)
  taken.forEach((codec) => codec.close())
  await prepareOpus(1)
  new Opus().close()
})
