// test: own process, real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, startTestMedia, watch, type PhoneCall } from '#test/phones/media-call.ts'
import { dtmfSound } from '../dtmf/dtmf-tones.ts'
import type { CodecName, Media, MediaStream } from '../engine.ts'
import { sine } from '../sound/tone.ts'

const roomOf = (media: Media, ...streams: MediaStream[]) => {
  const room = media.openRoom()
  for (const stream of streams) room.add(stream)
  return room
}

const talk = ({ phone, stream }: PhoneCall, hz?: number): void => phone.talk(stream.localPort, hz)

const pairs: [CodecName, CodecName][] = [
  ['PCMA', 'PCMU'],
  ['PCMU', 'G722'],
  ['G722', 'G722'],
  ['opus', 'PCMA'],
  ['G722', 'opus'],
  ['opus', 'opus'],
]

for (const [one, other] of pairs) {
  test(`${one} and ${other} hear each other`, async (t) => {
    const media = startTestMedia(t)
    const a = await call(t, media, { codec: one })
    const b = await call(t, media, { codec: other }, a.stream)
    roomOf(media, a.stream, b.stream)
    talk(a, 440)
    talk(b, 1000)
    await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
    await Promise.all([a.phone.missing(440), b.phone.missing(1000)])
  })
}

test('two wideband phones keep frequencies above the telephone band', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media, { codec: 'G722' })
  const b = await call(t, media, { codec: 'opus' }, a.stream)
  roomOf(media, a.stream, b.stream)
  talk(a, 5500)
  talk(b, 6000)
  await Promise.all([a.phone.hears(6000), b.phone.hears(5500)])
})

test('each of three streams hears the other two; a removed stream is silent', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, { codec: 'G722' }, a.stream)
  const c = await call(t, media, { codec: 'PCMU' }, a.stream)
  const room = roomOf(media, a.stream, b.stream, c.stream)
  talk(a, 440)
  talk(b, 1000)
  talk(c, 1600)
  await Promise.all([
    a.phone.hears(1000),
    a.phone.hears(1600),
    b.phone.hears(440),
    b.phone.hears(1600),
    c.phone.hears(440),
    c.phone.hears(1000),
  ])
  await Promise.all([a.phone.missing(440), b.phone.missing(1000), c.phone.missing(1600)])
  room.remove(b.stream)
  await Promise.all([a.phone.missing(1000), b.phone.missing(440), b.phone.missing(1600)])
  await a.phone.hears(1600)
  await c.stream.close()
  await a.phone.missing(1600)
})

test('a stream added to another room leaves the first', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, {}, a.stream)
  const c = await call(t, media, {}, a.stream)
  roomOf(media, a.stream, b.stream)
  talk(a, 440)
  talk(b, 1000)
  talk(c, 1600)
  await b.phone.hears(440)
  roomOf(media, a.stream, c.stream)
  await Promise.all([c.phone.hears(440), a.phone.hears(1600), b.phone.missing(440)])
})

test('an announcement replaces the others until it ends', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, {}, a.stream)
  const room = roomOf(media, a.stream, b.stream)
  talk(a, 440)
  talk(b, 1000)
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
  const playing = [a, b].map(({ stream }) => stream.announce({ samples: sine([2000], 500, 8000) }))
  await Promise.all(playing.map(({ begun }) => begun))
  await Promise.all([a.phone.hears(2000), b.phone.hears(2000), a.phone.missing(1000), b.phone.missing(440)])
  for (const { done } of playing) assert.deepEqual(await done, { completed: true, playedMs: 500 })
  await Promise.all([a.phone.missing(2000), b.phone.missing(2000), a.phone.hears(1000), b.phone.hears(440)])
  room.close()
  await Promise.all([a.phone.missing(1000), b.phone.missing(440)])
})

test('forwards packets unchanged with its own sequence, and replaces comfort noise by silence', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, { ptimeMs: 30 }, a.stream)
  roomOf(media, a.stream, b.stream)
  talk(a)
  b.phone.talk(b.stream.localPort, 700)
  const forwarded = () => a.phone.packets.filter(({ bytes }) => bytes === 240).length
  await a.phone.until(() => forwarded() > 5, 'the other phone’s packets of 30 ms')
  b.phone.sendInstead(() => ({ payloadType: 13, bytes: Uint8Array.of(60) }))
  a.phone.forget()
  await a.phone.missing(700)
  assert.ok(a.phone.packets.every(({ payloadType }) => payloadType === 8))
  b.phone.sendInstead(() => undefined)
  await a.phone.until(() => forwarded() > 5)
  for (let i = 1; i < a.phone.packets.length; i++) {
    assert.equal((a.phone.packets[i]!.sequence - a.phone.packets[i - 1]!.sequence) & 0xffff, 1)
    assert.equal(a.phone.packets[i]!.ssrc, a.phone.packets[0]!.ssrc)
  }
})

test('reports DTMF instead of forwarding it: CallRouter decides which leg gets it', async (t) => {
  const media = startTestMedia(t)
  for (const codec of ['PCMA', 'PCMU', 'opus'] as const) {
    const a = await call(t, media)
    const b = await call(t, media, { codec }, a.stream)
    roomOf(media, a.stream, b.stream)
    talk(a)
    talk(b)
    await a.onEvent('heard')
    a.phone.press('5#')
    await a.onEvent('dtmf # rfc4733')
    assert.deepEqual(a.events.slice(1), ['dtmf 5 rfc4733', 'dtmf # rfc4733'])
    await b.stream.sendDtmf('7')
    await b.phone.until(() => b.phone.keys.includes('7'), `no key over ${codec}`)
    assert.deepEqual(b.phone.keys, ['7'])
  }
})

test('sends DTMF as events, or in-band if not negotiated, and detects in-band DTMF', async (t) => {
  const media = startTestMedia(t)
  const events = await call(t, media)
  await events.stream.sendDtmf('12*')
  await events.phone.until(() => events.phone.keys.join('') === '12*')
  const one = await call(t, media)
  const other = await call(t, media)
  one.stream.configure(one.phone.settings({ dtmfPayloadType: undefined }))
  // Connects two streams: one has to recognise the output of the other.
  one.stream.configure({
    ...one.phone.settings({ dtmfPayloadType: undefined }),
    remote: { address: '127.0.0.1', port: other.stream.localPort },
  })
  other.stream.configure({
    ...one.phone.settings({ dtmfPayloadType: undefined }),
    remote: { address: '127.0.0.1', port: one.stream.localPort },
  })
  other.stream.wantKeys(true)
  const wanted = Array.from('0369#').map((digit) => `dtmf ${digit} in-band`)
  let recognised: string[] = []
  // A stalled machine splits a tone, as a bad line does: then the keys are sent again.
  for (let attempt = 0; attempt < 10 && recognised.join() !== wanted.join(); attempt++) {
    other.events.length = 0
    await one.stream.sendDtmf('0369#')
    await one.stream.play({ samples: new Int16Array(0.5 * 8000) }).done
    recognised = other.events.filter((event) => event.startsWith('dtmf'))
  }
  assert.deepEqual(recognised, wanted)
  await assert.rejects(one.stream.sendDtmf('1x'), /digits/)
})

test('passes in-band DTMF through a room, and detects it only on request', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, {}, a.stream)
  for (const { phone, stream } of [a, b]) stream.configure(phone.settings({ dtmfPayloadType: undefined }))
  roomOf(media, a.stream, b.stream)
  talk(b)
  talk(a)
  a.phone.pressAudibly('5')
  await Promise.all([b.phone.hears(770), b.phone.hears(1336)])
  await b.phone.until(() => b.phone.heardMs > 1000)
  assert.deepEqual(a.events, ['heard'])
  a.stream.wantKeys(true)
  await a.onEvent('dtmf 5 in-band')
  await Promise.all([b.phone.hears(770), b.phone.hears(1336)])
  a.stream.wantKeys(false)
  await a.stream.figures()
  const notified = a.events.length
  const { heardMs } = b.phone
  await b.phone.until(() => b.phone.heardMs > heardMs + 600)
  assert.equal(a.events.length, notified)
})

test('ignores the echo of its own in-band DTMF', async (t) => {
  const { observer, events, onEvent: notifications } = watch()
  const stream = await startTestMedia(t).openStream(observer)
  t.after(() => stream.close())
  const remote = { address: '127.0.0.1', port: stream.localPort }
  const line = { codec: 'PCMA', payloadType: 8, dtmfPayloadType: undefined, ptimeMs: 20, srtp: undefined, alsoFrom: [] } as const
  stream.wantKeys(true)
  stream.configure({ ...line, remote, send: true, receive: true })
  await notifications('heard')
  await stream.sendDtmf('5')
  const silence = stream.play({ samples: new Int16Array(0.4 * 8000) })
  stream.play({ samples: dtmfSound('7', 8000) })
  await silence.done
  await notifications('dtmf 7 in-band')
  assert.deepEqual(events, ['heard', 'dtmf 7 in-band'])
})

test('a room spans streams of two threads', async (t) => {
  const media = startTestMedia(t, { workers: 2, streamsPerWorker: 1 })
  const a = await call(t, media)
  const b = await call(t, media, { codec: 'PCMU' })
  const c = await call(t, media, {}, a.stream)
  const room = media.openRoom()
  const recording = room.record('/dev/null', 2)
  for (const { stream } of [a, b, c]) room.add(stream)
  talk(a, 440)
  talk(b, 1000)
  talk(c, 1600)
  const all: [PhoneCall, number][] = [
    [a, 1000],
    [a, 1600],
    [b, 440],
    [b, 1600],
    [c, 440],
    [c, 1000],
  ]
  await Promise.all(all.map(([{ phone }, hz]) => phone.hears(hz)))
  await b.phone.missing(1000)
  room.remove(c.stream)
  await b.phone.missing(1600)
  await b.stream.close()
  await a.phone.missing(1000)
  assert.ok((await recording.stop()).durationMs > 0)
  room.close()
})
