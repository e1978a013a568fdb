// test: real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { G711 } from '../codec/g711.ts'
import { JitterBuffer, type FrameKind } from './jitter-buffer.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from '../rtp/rtp.ts'

/** Every packet has one A-law level that encodes its number, so that the output identifies its packet. */
const levels = new Int16Array(256)
new G711('PCMA').decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
  0,
  256,
  levels,
  0,
)
const numberOf = new Map([...levels].map((level, byte) => [level, byte]))

interface Sent {
  number: number
  arrivesMs: number
  sequence: number
  timestamp: number
  ssrc: number
  ticks: number
  kind: 'audio' | 'other'
}

const talk = (packets: number, ptimeMs = 20): Sent[] =>
  Array.from({ length: packets }, (_, number) => ({
    number,
    arrivesMs: number * ptimeMs,
    sequence: number,
    timestamp: number * ptimeMs * 8,
    ssrc: 7,
    ticks: ptimeMs * 8,
    kind: 'audio',
  }))

interface Heard {
  kind: FrameKind
  numbers: (number | undefined)[]
}

/** Runs packets through a buffer that is read every 20 ms, 3 ms after full steps. */
const listen = (sent: readonly Sent[], untilMs: number, buffer = new JitterBuffer(new G711('PCMA'))): Heard[] => {
  const waiting = sent.toSorted((one, other) => one.arrivesMs - other.arrivesMs)
  const packet = new RtpPacket()
  const pcm = new Int16Array(160)
  const heard: Heard[] = []
  for (let dueMs = 3; dueMs < untilMs; dueMs += 20) {
    while (waiting[0] && waiting[0].arrivesMs <= dueMs) {
      const one = waiting.shift()!
      const bytes = new Uint8Array(12 + one.ticks).fill(one.number & 0xff)
      writeRtpHeader(bytes, 8, false, one.sequence & 0xffff, one.timestamp, one.ssrc)
      assert.ok(parseRtp(bytes, bytes.length, packet))
      if (one.kind === 'audio') buffer.put(packet, one.arrivesMs)
      else buffer.skip(packet)
    }
    const kind = buffer.take(pcm, dueMs)
    heard.push({ kind, numbers: [...new Set(pcm)].map((level) => numberOf.get(level)) })
  }
  return heard
}

const kinds = (heard: Heard[], kind: FrameKind): number => heard.filter((one) => one.kind === kind).length
const audible = (heard: Heard[]): Heard[] => heard.slice(heard.findIndex((one) => one.kind === 'audio'))
const randomOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

test('plays a steady stream once, in order, after a short delay', () => {
  const heard = listen(talk(100), 1990)
  const first = heard.findIndex((one) => one.kind === 'audio')
  assert.ok(first >= 1 && first <= 3, `began at frame ${first}`)
  heard.slice(first).forEach((one, index) => assert.deepEqual(one, { kind: 'audio', numbers: [index] }))
})

test('reordered and duplicate packets do not change the output', () => {
  const sent = talk(58).flatMap((one) => {
    const swapped = { ...one, arrivesMs: one.arrivesMs + (one.number % 5 === 2 ? 30 : 0) }
    return one.number % 7 === 3
      ? [swapped, { ...swapped, arrivesMs: swapped.arrivesMs + 1 }, { ...swapped, arrivesMs: swapped.arrivesMs + 35 }]
      : [swapped]
  })
  const buffer = new JitterBuffer(new G711('PCMA'))
  const heard = audible(listen(sent, 1150, buffer))
  assert.equal(kinds(heard, 'concealed'), 0)
  heard.forEach((one, index) => assert.deepEqual(one.numbers, [index]))
  assert.equal(buffer.packetsDuplicate, 16)
})

test('conceals a lost packet and plays all later ones on time', () => {
  const buffer = new JitterBuffer(new G711('PCMA'))
  const heard = audible(
    listen(
      talk(50).filter((one) => one.number !== 20 && one.number !== 30 && one.number !== 31),
      990,
      buffer,
    ),
  )
  assert.deepEqual(
    heard.flatMap((one, index) => (one.kind === 'concealed' ? [index] : [])),
    [20, 30, 31],
  )
  assert.equal(buffer.framesConcealed, 3)
  for (const index of [19, 22, 29, 33, 45]) assert.deepEqual(heard[index], { kind: 'audio', numbers: [index] })
})

test('handles wrapping sequence numbers and timestamps', () => {
  const sent = talk(80).map((one) => ({ ...one, sequence: 65500 + one.sequence, timestamp: 2 ** 32 - 20 * 160 + one.timestamp }))
  const heard = audible(listen(sent, 1590))
  assert.equal(kinds(heard, 'audio'), heard.length)
  heard.forEach((one, index) => assert.deepEqual(one.numbers, [index]))
})

for (const ptime of [10, 30, 40, 60]) {
  test(`splits packets of ${ptime} ms into frames of 20 ms`, () => {
    const heard = audible(listen(talk(60, ptime), 590))
    assert.equal(kinds(heard, 'audio'), heard.length)
    const order = heard.flatMap((one) => one.numbers).filter((one, index, all) => one !== all[index - 1])
    assert.deepEqual(
      order,
      Array.from(order, (_, index) => index),
    )
  })

  test(`a lost packet of ${ptime} ms leaves a gap of ${ptime} ms`, () => {
    const heard = audible(
      listen(
        talk(60, ptime).filter((one) => one.number !== 5),
        590,
      ),
    )
    const last = heard.at(-1)!
    const played = heard.length * 20
    assert.ok(last.numbers.includes(Math.ceil(played / ptime) - 1), `frame ${heard.length} plays ${last.numbers.join()}`)
    assert.ok(kinds(heard, 'concealed') <= Math.ceil(ptime / 20) + 1)
  })
}

test('restarts at another source', () => {
  const other = talk(30).map((one) => ({
    ...one,
    number: one.number + 100,
    ssrc: 8,
    sequence: 40_000 + one.sequence,
    timestamp: 5_000_000 + one.timestamp,
    arrivesMs: 400 + one.arrivesMs,
  }))
  const heard = listen([...talk(20), ...other], 990)
  const numbers = heard.filter((one) => one.kind === 'audio').flatMap((one) => one.numbers)
  assert.deepEqual(
    numbers.slice(-10),
    Array.from({ length: 10 }, (_, index) => numbers.at(-1)! - 9 + index),
  )
  assert.ok(numbers.includes(100) && numbers.at(-1)! >= 125)
  assert.ok(Math.max(...numbers.filter((one) => one! < 100).map(Number)) >= 16)
})

test('follows a sender that restarts its numbers after a hold', () => {
  const sent = talk(100).map((one) => (one.number < 50 ? one : { ...one, timestamp: one.timestamp + 900_000_000 }))
  const heard = listen(sent, 1990)
  assert.ok(heard.slice(56).every((one) => one.kind === 'audio'))
  const restarted = talk(100).map((one) => (one.number < 50 ? one : { ...one, sequence: one.sequence + 20_000 }))
  assert.ok(
    listen(restarted, 1990)
      .slice(56)
      .every((one) => one.kind === 'audio'),
  )
})

test('drops a single stray packet with a wild sequence number', () => {
  const stray = { ...talk(1)[0]!, sequence: 30_000, arrivesMs: 401, number: 200 }
  const buffer = new JitterBuffer(new G711('PCMA'))
  const heard = audible(listen([...talk(50), stray], 990, buffer))
  heard.forEach((one, index) => assert.deepEqual(one.numbers, [index]))
  assert.equal(buffer.packetsUnreadable, 1)
})

test('treats a pause of the sender as silence, not loss', () => {
  const sent = talk(100).filter((one) => one.number < 30 || one.number >= 60)
  const paused = sent.map((one) => (one.number >= 60 ? { ...one, sequence: one.sequence - 30 } : one))
  const buffer = new JitterBuffer(new G711('PCMA'))
  const heard = listen(paused, 1990, buffer)
  assert.ok(buffer.framesConcealed <= 4, `${buffer.framesConcealed} frames made up until the pause was known`)
  assert.ok(kinds(heard.slice(36, 60), 'silence') >= 23)
  assert.ok(heard.slice(64).every((one) => one.kind === 'audio'))
})

test('comfort noise and DTMF do not count as lost audio', () => {
  const sent = talk(60).map((one): Sent => ({ ...one, kind: one.number >= 20 && one.number < 28 ? 'other' : 'audio' }))
  const buffer = new JitterBuffer(new G711('PCMA'))
  const heard = audible(listen(sent, 1190, buffer))
  assert.ok(buffer.framesConcealed <= 4)
  assert.equal(buffer.packetsLate, 0)
  assert.deepEqual(heard[40]!.kind, 'audio')
  const lostBefore = sent.filter((one) => one.number !== 27)
  assert.deepEqual(audible(listen(lostBefore, 1190))[40]!.kind, 'audio')
})

test('the delay grows until hardly any packet is late, and shrinks when the network calms down', () => {
  const random = randomOf(1)
  const rough = talk(1500).map((one) => ({ ...one, arrivesMs: one.arrivesMs + (one.number < 750 ? random() * 90 : random() * 4) }))
  const buffer = new JitterBuffer(new G711('PCMA'))
  const heard = listen(rough, 15_000, buffer)
  assert.ok(buffer.targetDelayMs >= 75 && buffer.targetDelayMs <= 95, `waits ${buffer.targetDelayMs} ms`)
  assert.ok(kinds(heard.slice(100), 'concealed') < 14, `${kinds(heard.slice(100), 'concealed')} made up`)
  const all = new JitterBuffer(new G711('PCMA'))
  const calm = listen(rough, 29_990, all)
  assert.equal(all.targetDelayMs, 20)
  assert.equal(kinds(calm.slice(1000), 'audio'), calm.length - 1000)
  assert.ok(((1499 - calm.at(-1)!.numbers[0]!) & 0xff) <= 3, 'less than 60 ms old')
})

test('keeps the delay between 20 and 200 ms', () => {
  const random = randomOf(2)
  const buffer = new JitterBuffer(new G711('PCMA'))
  listen(
    talk(500).map((one) => ({ ...one, arrivesMs: one.arrivesMs + random() * 600 })),
    9_990,
    buffer,
  )
  assert.equal(buffer.targetDelayMs, 200)
  assert.ok(buffer.packetsLate > 0)
  const calm = new JitterBuffer(new G711('PCMA'))
  listen(talk(500), 9_990, calm)
  assert.equal(calm.targetDelayMs, 20)
})

for (const partsPerMillion of [-300, 300]) {
  test(`follows a clock that is ${partsPerMillion} ppm off`, () => {
    const sent = talk(15_000).map((one) => ({ ...one, arrivesMs: one.arrivesMs * (1 + partsPerMillion / 1e6) }))
    const buffer = new JitterBuffer(new G711('PCMA'))
    const heard = listen(sent, 299_900, buffer)
    assert.ok(kinds(heard.slice(10), 'audio') > heard.length - 20)
    const behind = ((sent.filter((one) => one.arrivesMs < 299_900).length - 1 - heard.at(-1)!.numbers[0]!) & 0xff) * 20
    assert.ok(behind <= 80, `${behind} ms behind`)
  })
}

test('catches up with the burst after a stall', () => {
  const sent = talk(300).map((one) => ({
    ...one,
    arrivesMs: one.number > 50 && one.number < 120 ? 2_400 + one.number / 100 : one.arrivesMs,
  }))
  const heard = listen(sent, 5_990)
  assert.ok(((299 - heard.at(-1)!.numbers[0]!) & 0xff) * 20 <= 120, `ends with ${heard.at(-1)!.numbers.join()}`)
  assert.ok(kinds(heard.slice(170), 'audio') > 120)
})

test('rejects payloads that are too long, and plays empty ones as silence', () => {
  const buffer = new JitterBuffer(new G711('PCMA'))
  listen([{ ...talk(1)[0]!, ticks: 481 }], 50, buffer)
  assert.equal(buffer.packetsUnreadable, 1)
  const heard = listen(
    talk(20).map((one) => (one.number === 10 ? { ...one, ticks: 0 } : one)),
    390,
  )
  assert.equal(kinds(heard, 'concealed'), 0)
})
