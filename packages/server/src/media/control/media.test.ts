// test: own process, real time
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { call, openPhone, startTestMedia, watch, udpKinds } from '#test/phones/media-call.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import type { HeardPacket } from '#test/phones/rtp-phone.ts'
import { MediaFull, PortPool } from '../socket/port-pool.ts'
import { sine } from '../sound/tone.ts'

const second = (hz: number, ms = 1000) => ({ samples: sine([hz], ms, 8000) })

/** A range of ports that starts with an even one. */
const firstOf = async (t: TestContext, count: number): Promise<number> => {
  const free = await freePorts(t, count + 1)
  return free + (free % 2)
}

/** Asserts that no packet is missing or duplicated, and that timestamps continue. */
const assertContinuous = (packets: HeardPacket[], ticksPerPacket = 160): void => {
  for (let i = 1; i < packets.length; i++) {
    const [before, now] = [packets[i - 1]!, packets[i]!]
    assert.equal((now.sequence - before.sequence) & 0xffff, 1, `packet ${i}`)
    assert.equal(now.ssrc, before.ssrc)
    if (!now.marker) assert.equal((now.timestamp - before.timestamp) >>> 0, ticksPerPacket, `packet ${i}`)
    else assert.ok(((now.timestamp - before.timestamp) | 0) > 0, `packet ${i}`)
  }
}

for (const udp of udpKinds) {
  test(`${udp}: plays a sound to a phone and reports its end, with silence before and after`, async (t) => {
    const media = startTestMedia(t, { udp })
    assert.equal(media.udp, udp)
    const { phone, stream } = await call(t, media)
    await phone.until(() => phone.packets.length > 2)
    const playback = stream.play(second(600, 500))
    await phone.hears(600)
    assert.deepEqual(await playback.done, { completed: true, playedMs: 500 })
    await phone.missing(600)
    assertContinuous(phone.packets)
    const { p99, frames } = await media.pacing()
    assert.ok(frames > 25 && p99 > 0, JSON.stringify({ p99, frames }))
  })

  test(`${udp}: two phones hear each other and not themselves`, async (t) => {
    const media = startTestMedia(t, { udp })
    const a = await call(t, media)
    const b = await call(t, media, {}, a.stream)
    const room = media.openRoom()
    room.add(a.stream)
    room.add(b.stream)
    a.phone.talk(a.stream.localPort, 440)
    b.phone.talk(b.stream.localPort, 1000)
    await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
    await Promise.all([a.phone.missing(440), b.phone.missing(1000)])
    assert.deepEqual(a.events, ['heard'])
    const figures = await a.stream.figures()
    assert.ok(figures.packetsReceived >= 5 && figures.packetsSent >= 5, JSON.stringify(figures))
    assert.equal(figures.packetsRefused, 0)
  })

  test(`${udp}: echoes a phone; a played sound takes precedence`, async (t) => {
    const media = startTestMedia(t, { udp })
    const { phone, stream } = await call(t, media)
    stream.echo(true)
    phone.talk(stream.localPort, 700)
    await phone.hears(700)
    const playback = stream.play(second(1200, 400))
    await phone.hears(1200)
    await phone.missing(700, 100)
    await playback.done
    await phone.hears(700)
    stream.echo(false)
    await phone.missing(700)
    assertContinuous(phone.packets)
  })

  test(`${udp}: assigns each port of a range once, and reuses one immediately when no other is left`, async (t) => {
    const first = await firstOf(t, 6)
    const media = startTestMedia(t, { udp, ports: new PortPool({ first, last: first + 5 }) })
    const open = () => media.openStream(watch().observer)
    const streams = [await open(), await open(), await open()]
    assert.deepEqual(new Set(streams.map(({ localPort }) => localPort)), new Set([first, first + 2, first + 4]))
    await assert.rejects(open(), MediaFull)
    for (const stream of [streams[1]!, streams[0]!]) await stream.close()
    assert.deepEqual([(await open()).localPort, (await open()).localPort], [streams[1]!.localPort, streams[0]!.localPort])
    await assert.rejects(open(), MediaFull)
  })

  test(`${udp}: two programs share a range`, async (t) => {
    const first = await firstOf(t, 8)
    const ports = () => new PortPool({ first, last: first + 7 })
    const [one, other] = [startTestMedia(t, { udp, ports: ports() }), startTestMedia(t, { udp, ports: ports() })]
    const open = async (media: typeof one) => (await media.openStream(watch().observer)).localPort
    const taken = [await open(one), await open(other), await open(one), await open(other)]
    assert.equal(new Set(taken).size, 4)
    await assert.rejects(open(one), MediaFull)
    await assert.rejects(open(other), MediaFull)
  })

  test(`${udp}: works over IPv6, and with IPv4 on the same socket`, async (t) => {
    const media = startTestMedia(t, { udp, address: '::' })
    const six = await call(t, media, { address: '::1' })
    const four = await call(t, media, {}, six.stream)
    const room = media.openRoom()
    room.add(six.stream)
    room.add(four.stream)
    six.phone.talk(six.stream.localPort, 440)
    four.phone.talk(four.stream.localPort, 1000)
    await Promise.all([six.phone.hears(1000), four.phone.hears(440)])
  })
}

test('plays sounds in order and stops them', async (t) => {
  const media = startTestMedia(t)
  const { phone, stream } = await call(t, media)
  const music = stream.play(second(500), { loop: true })
  const next = stream.play(second(900, 300))
  await phone.hears(500)
  music.stop()
  assert.equal((await music.done).completed, false)
  await phone.hears(900)
  assert.deepEqual(await next.done, { completed: true, playedMs: 300 })
  const waiting = stream.play(second(500))
  await stream.close()
  assert.equal((await waiting.done).completed, false)
  assert.equal((await stream.play(second(500)).done).completed, false, 'after its end')
})

test('drops the sound of a muted phone', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, {}, a.stream)
  const room = media.openRoom()
  room.add(a.stream)
  room.add(b.stream)
  a.phone.talk(a.stream.localPort, 440)
  b.phone.talk(b.stream.localPort, 1000)
  await b.phone.hears(440)
  a.stream.mute(true)
  await b.phone.missing(440)
  await a.phone.hears(1000)
  a.stream.mute(false)
  await b.phone.hears(440)
  assertContinuous(b.phone.packets)
})

test('a held phone hears music and is not heard', async (t) => {
  const media = startTestMedia(t)
  const a = await call(t, media)
  const b = await call(t, media, {}, a.stream)
  const room = media.openRoom()
  room.add(a.stream)
  room.add(b.stream)
  a.phone.talk(a.stream.localPort, 440)
  b.phone.talk(b.stream.localPort, 1000)
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
  a.stream.configure(a.phone.settings({ receive: false }))
  const music = a.stream.play(second(600), { loop: true })
  await Promise.all([a.phone.hears(600), b.phone.missing(440)])
  await a.phone.missing(1000)
  music.stop()
  a.stream.configure(a.phone.settings())
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
})

test('sends no packets while sending is off or the remote address is unspecified', async (t) => {
  const media = startTestMedia(t)
  const { phone, stream } = await call(t, media)
  const clock = (await call(t, media)).phone
  const pass = (ms: number) => clock.until(() => clock.packets.length * 20 > ms)
  await phone.until(() => phone.packets.length > 2)
  stream.configure(phone.settings({ send: false }))
  const { packetsSent } = await stream.figures()
  for (const hold of [{ send: false }, { remote: { address: '0.0.0.0', port: phone.port } }]) {
    stream.configure(phone.settings(hold))
    clock.forget()
    await pass(100)
    assert.equal((await stream.figures()).packetsSent, packetsSent)
  }
  phone.forget()
  stream.configure(phone.settings())
  await phone.until(() => phone.packets.length > 2)
  assert.ok(phone.packets[0]!.marker)
})

test('delays a sound until it can be sent, but not for a remote hold', async (t) => {
  const media = startTestMedia(t)
  const stream = await media.openStream(watch().observer)
  const phone = await openPhone(t)
  const early = stream.play(second(600, 300))
  stream.configure(phone.settings())
  await phone.hears(600)
  assert.deepEqual(await early.done, { completed: true, playedMs: 300 })
  stream.configure(phone.settings({ send: false }))
  const missed = stream.play(second(900, 200))
  assert.deepEqual(await missed.done, { completed: true, playedMs: 200 })
  assert.ok(phone.level(900) < -50)
})

test('changes codec and address during a call', async (t) => {
  const media = startTestMedia(t)
  const { phone, stream } = await call(t, media)
  const other = await openPhone(t, { codec: 'G722' })
  stream.play(second(600), { loop: true })
  stream.echo(true)
  await phone.hears(600)
  stream.configure(other.settings())
  await other.hears(600)
  phone.forget()
  await other.hears(600)
  assert.ok(phone.packets.length <= 1)
})

for (const ptimeMs of [10, 30, 40, 60]) {
  test(`sends and receives packets of ${ptimeMs} ms`, async (t) => {
    const media = startTestMedia(t)
    const { phone, stream } = await call(t, media, { ptimeMs })
    const other = await call(t, media, { codec: 'PCMU' }, stream)
    const room = media.openRoom()
    room.add(stream)
    room.add(other.stream)
    phone.talk(stream.localPort, 440)
    other.phone.talk(other.stream.localPort, 1000)
    await Promise.all([phone.hears(1000), other.phone.hears(440)])
    assert.ok(phone.packets.every(({ bytes }) => bytes === 8 * ptimeMs))
    assertContinuous(phone.packets, 8 * ptimeMs)
  })
}

test('reports a silent far end once: early if it never sent, later if it did, never on hold', async (t) => {
  const media = startTestMedia(t, { silentAfterMs: { first: 500, later: 2_000 } })
  const never = await call(t, media)
  const held = await call(t, media)
  held.stream.configure(held.phone.settings({ receive: false }))
  const stops = await call(t, media)
  stops.phone.talk(stops.stream.localPort)
  await stops.onEvent('heard')
  stops.phone.muteInput()
  const another = await call(t, media)
  await Promise.all([never.onEvent('silent'), another.onEvent('silent')])
  assert.deepEqual(stops.events, ['heard'], 'one that never speaks is sooner silent than one that stops at the same time')
  await stops.onEvent('silent')
  assert.deepEqual(held.events, [])
  stops.phone.talk(stops.stream.localPort)
  await stops.phone.until(() => stops.phone.packets.length > 5)
  stops.phone.muteInput()
  assert.deepEqual(never.events, ['silent'])
})

test('rejects a host name instead of an address', async (t) => {
  const media = startTestMedia(t)
  const { phone, stream } = await call(t, media)
  assert.throws(() => stream.configure(phone.settings({ remote: { address: 'phone.example', port: 4000 } })), /IP address/)
})
