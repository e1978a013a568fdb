// test: own process, real time
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { test, type TestContext } from 'node:test'
import { call, openPhone, startTestMedia, watch, udpKinds } from '#test/phones/media-call.ts'
import { RtpPhone } from '#test/phones/rtp-phone.ts'
import type { Media, MediaStream } from '../engine.ts'
import { writeRtpHeader } from '../rtp/rtp.ts'

/** A sender at another address that sprays a loud tone over many ports and counts the answers. */
const openSprayer = async (t: TestContext, ports: number[]) => {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.66', resolve))
  t.after(() => void socket.close())
  let answers = 0
  let sent = 0
  socket.on('message', () => answers++)
  const loud = await RtpPhone.open()
  t.after(() => loud.close())
  const packet = Buffer.alloc(172)
  const tone = Int16Array.from({ length: 160 }, (_, i) => 20_000 * Math.sin((2 * Math.PI * 2000 * i) / 8000))
  loud.codec.encode(tone, packet, 12)
  const timer = setInterval(() => {
    for (let i = 0; i < 5; i++) {
      writeRtpHeader(packet, 8, false, sent & 0xffff, sent * 160, 666)
      socket.send(Buffer.from(packet), ports[sent++ % ports.length], '127.0.0.1')
    }
  }, 5)
  t.after(() => clearInterval(timer))
  const whenSent = (count: number, then: () => void): void => {
    if (sent >= count) then()
    else setImmediate(() => whenSent(count, then))
  }
  return { answers: () => answers, sent: () => sent, whenSent }
}

/** A phone whose SDP names 127.0.0.3, while it sends from the address of its signalling, 127.0.0.2. It hears its own echo. */
const translated = async (t: TestContext, media: Media) => {
  const { observer, onEvent: notifications } = watch()
  const stream = await media.openStream(observer)
  const phone = await openPhone(t, { address: '127.0.0.2' })
  stream.configure(phone.settings({ remote: { address: '127.0.0.3', port: 4000 }, alsoFrom: ['127.0.0.2'] }))
  stream.echo(true)
  return { stream, phone, onEvent: notifications }
}

const toPort = ({ localPort }: MediaStream) => ({ address: '127.0.0.1', port: localPort })

for (const udp of udpKinds) {
  test(`${udp}: ignores an unknown source that sprays 1,000 packets a second`, async (t) => {
    const media = startTestMedia(t, { udp })
    const pairs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const a = await call(t, media)
        const b = await call(t, media, {}, a.stream)
        const room = media.openRoom()
        room.add(a.stream)
        room.add(b.stream)
        return [a, b] as const
      }),
    )
    const calls = pairs.flat()
    // Starts before the first packet of the phones, so that only forged sources can be learnt.
    const sprayer = await openSprayer(
      t,
      calls.flatMap(({ stream }) => [stream.localPort, stream.localPort + 1]),
    )
    await calls[0]!.phone.until(() => sprayer.sent() > 100)
    for (const [a, b] of pairs) {
      a.phone.talk(a.stream.localPort, 440)
      b.phone.talk(b.stream.localPort, 1000)
    }
    await Promise.all(pairs.flatMap(([a, b]) => [a.phone.hears(1000), b.phone.hears(440)]))
    await calls[0]!.phone.until(() => sprayer.sent() > 1000)
    for (const { phone } of calls) assert.ok(phone.level(2000, 500) < -50, `${phone.level(2000, 500)} dB of the stranger`)
    assert.equal(sprayer.answers(), 0)
    for (const { stream } of calls) assert.ok((await stream.figures()).packetsReceived > 10)
  })

  test(`${udp}: accepts sound from the signalling address, and ignores an unknown source that was first`, async (t) => {
    const media = startTestMedia(t, { udp })
    const { stream, phone, onEvent: notifications } = await translated(t, media)
    const sprayer = await openSprayer(t, [stream.localPort, stream.localPort + 1])
    await new Promise<void>((resolve) => sprayer.whenSent(300, resolve))
    phone.talk(toPort(stream), 440)
    await notifications('heard')
    await phone.hears(440)
    await new Promise<void>((resolve) => sprayer.whenSent(sprayer.sent() + 300, resolve))
    assert.ok(phone.level(2000) < -50)
    assert.equal(sprayer.answers(), 0)
  })

  test(`${udp}: follows a phone to another port, and ignores an unknown source in the gap`, async (t) => {
    const media = startTestMedia(t, { udp })
    const { stream, phone } = await translated(t, media)
    phone.talk(toPort(stream), 440)
    await phone.hears(440)
    phone.muteInput()
    await phone.move()
    phone.forget()
    const sprayer = await openSprayer(t, [stream.localPort, stream.localPort + 1])
    await new Promise<void>((resolve) => sprayer.whenSent(2_000, resolve))
    phone.talk(toPort(stream), 440)
    await phone.hears(440)
    assert.ok(phone.level(2000) < -50)
    assert.equal(sprayer.answers(), 0)
  })
}

test('rejects packets that are not RTP of the negotiated type, without affecting the call', async (t) => {
  const media = startTestMedia(t)
  const { phone, stream } = await call(t, media)
  const to = { address: '127.0.0.1', port: stream.localPort }
  stream.echo(true)
  phone.talk(stream.localPort, 440)
  await phone.hears(440)
  const before = await stream.figures()
  const bad = [0, 1, 11, 12, 13, 60, 500, 1500, 2000].map((size) => randomBytes(size))
  const otherType = Buffer.alloc(172)
  writeRtpHeader(otherType, 99, false, 1, 1, 1)
  for (const bytes of [...bad, otherType]) phone.sendRaw(bytes, to)
  for (let i = 0; i < 200; i++)
    phone.sendRaw(Buffer.concat([Buffer.of(0x80, 200 + (i % 5)), randomBytes(i)]), { ...to, port: to.port + (i % 2) })
  phone.forget()
  await phone.until(() => phone.packets.length > 20)
  await phone.hears(440)
  const after = await stream.figures()
  assert.ok(after.packetsRefused >= 5, JSON.stringify(after))
  assert.ok(after.packetsReceived > before.packetsReceived)
})

test('SRTP: rejects other keys and plain packets, and accepts the right keys from any address', async (t) => {
  const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const
  const media = startTestMedia(t)
  for (const suite of suites) {
    const [ours, theirs] = [randomBytes(30), randomBytes(30)]
    const phone = await openPhone(t, { srtp: { suite, localKey: theirs, remoteKey: ours } })
    const plain = await openPhone(t)
    const { observer, onEvent: notifications } = watch()
    const stream = await media.openStream(observer)
    stream.configure(phone.settings({ srtp: { suite, localKey: ours, remoteKey: theirs } }))
    stream.echo(true)
    plain.talk(stream.localPort, 2000)
    while ((await stream.figures()).packetsRefused < 5) await phone.until(() => phone.packets.length > 0)
    phone.talk(stream.localPort, 440)
    await notifications('heard')
    await phone.hears(440)
    assert.ok(phone.level(2000) < -50)
    // The same keys again, as in a re-INVITE: the packet index continues.
    stream.configure(phone.settings({ srtp: { suite, localKey: Buffer.from(ours), remoteKey: Buffer.from(theirs) } }))
    phone.forget()
    await phone.hears(440)
    await phone.move('127.0.0.9')
    phone.forget()
    await phone.hears(440)
    stream.configure(phone.settings({ srtp: { suite, localKey: ours, remoteKey: randomBytes(30) } }))
    await phone.missing(440)
  }
})
