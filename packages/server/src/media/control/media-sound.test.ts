// test: own process, real time
import assert from 'node:assert/strict'
import { test, after, describe } from 'node:test'
import { call } from '#test/phones/media-call.ts'
import type { RtpPhone } from '#test/phones/rtp-phone.ts'
import { toneLevel } from '#test/sound/spectrum.ts'
import { duplexBlockSamples } from '../stream/duplex-tap.ts'
import type { DuplexSound } from '../engine.ts'
import { startMedia } from './media.ts'
import { PortPool } from '../socket/port-pool.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import { sine } from '../sound/tone.ts'

const media = startMedia({ address: '127.0.0.1', ports: new PortPool({ first: 20_000, last: 29_999 }) })
after(() => media.close())

/** Both sides, from now on. */
const listenTo = ({ buffer }: DuplexSound) => {
  const ring = new SampleRing(buffer)
  const next = async (ms: number): Promise<{ heard: Int16Array; sent: Int16Array }> => {
    ring.read(new Int16Array(ring.available))
    const blocks = ms / 20
    const [heard, sent] = [new Int16Array(blocks * duplexBlockSamples), new Int16Array(blocks * duplexBlockSamples)]
    for (let block = 0; block < blocks; block++) {
      await ring.hasSamples(2 * duplexBlockSamples)
      ring.read(heard.subarray(block * duplexBlockSamples, (block + 1) * duplexBlockSamples))
      ring.read(sent.subarray(block * duplexBlockSamples, (block + 1) * duplexBlockSamples))
    }
    return { heard, sent }
  }
  return { ring, next }
}

const isSilent = (pcm: Int16Array): boolean => pcm.every((sample) => Math.abs(sample) < 16)

/** Milliseconds of non-silent sound that a phone heard. */
const soundMs = (phone: RtpPhone): number => {
  const heard = phone.recent(phone.heardMs)
  const first = heard.findIndex((sample) => Math.abs(sample) > 100)
  const last = heard.findLastIndex((sample) => Math.abs(sample) > 100)
  return ((last - first + 1) * 1000) / phone.codec.sampleRate
}

/** Polls: a busy machine may delay the packets of the phones. */
const soon = async (holds: () => boolean | Promise<boolean>, what: string): Promise<void> => {
  for (let i = 0; i < 25; i++) if (await holds()) return
  assert.fail(what)
}

// These tests mostly wait for sound to end, so they run concurrently.
describe('sound in and out of a stream', { concurrency: 4 }, () => {
  for (const [codec, rate] of [
    ['PCMA', 8000],
    ['PCMA', 16_000],
    ['G722', 16_000],
    ['opus', 8000],
  ] as const) {
    test(`a tap at ${rate} Hz receives a ${codec} phone, and silence while muted`, async (t) => {
      const { phone, stream } = await call(t, media, { codec })
      phone.talk(stream.localPort, 440)
      const tap = stream.tap(rate)
      // Reads like another thread.
      const ring = new SampleRing(tap.buffer)
      const listen = async (seconds: number): Promise<Int16Array> => {
        ring.read(new Int16Array(tap.available))
        await tap.has(seconds * rate)
        const samples = new Int16Array(seconds * rate)
        assert.equal(ring.read(samples), samples.length)
        return samples
      }
      await soon(async () => toneLevel(await listen(0.2), 440, rate) > -20, 'the tone')
      stream.mute(true)
      await stream.figures()
      await listen(0.1)
      assert.ok((await listen(0.1)).every((sample) => sample === 0))
      await stream.close()
      await tap.has(10 * rate)
      assert.equal(tap.read(new Int16Array(1_000_000)) >= 0, true)
    })
  }

  for (const [codec, rate] of [
    ['PCMA', 8000],
    ['PCMU', 16_000],
    ['G722', 16_000],
  ] as const) {
    test(`a ${codec} phone hears speech fed in chunks of ${rate} Hz without a gap`, async (t) => {
      const { phone, stream } = await call(t, media, { codec })
      const feed = stream.feed(rate)
      const speech = sine([600], 700, rate)
      for (let at = 0; at < speech.length; at += 1111) {
        await feed.hasCapacity(1111)
        assert.equal(feed.write(speech.subarray(at, at + 1111)), Math.min(1111, speech.length - at))
      }
      feed.end()
      assert.deepEqual(await feed.done, { completed: true, playedMs: 700 })
      await phone.until(() => phone.level(600, 600) > -16, 'the tone for more than half a second')
      assert.equal(feed.write(speech), 0)
      assert.equal(feed.playedMs(), 700)
    })
  }

  test('a feed waits for more in silence, and can be cut off', async (t) => {
    const { phone, stream } = await call(t, media)
    const feed = stream.feed()
    feed.write(sine([600], 200, 8000))
    await phone.hears(600, 100)
    await phone.missing(600, 100)
    assert.equal(feed.playedMs(), 200)
    feed.write(sine([900], 3000, 8000))
    await phone.hears(900, 100)
    feed.stop()
    assert.equal((await feed.done).completed, false)
    await phone.missing(900, 100)
    assert.equal(feed.room, 0)
  })

  test('a stopped feed is silent immediately and reports the samples sent', async (t) => {
    const { phone, stream } = await call(t, media, { codec: 'PCMU' })
    await soon(async () => {
      phone.forget()
      const feed = stream.feed(16_000)
      assert.equal(feed.playedMs(), 0)
      feed.write(new Int16Array(16_000 * 3).fill(5000))
      await feed.begun
      await phone.until(() => feed.playedMs() >= 100)
      const before = feed.playedMs()
      feed.stop()
      const { completed, playedMs } = await feed.done
      assert.equal(completed, false)
      await phone.until(() => isSilent(phone.recent(100)))
      assert.ok(Math.abs(soundMs(phone) - playedMs) <= 2, `${soundMs(phone)} ms on the wire, ${playedMs} ms told`)
      return playedMs - before <= 20
    }, 'at most one frame more')
  })

  for (const codec of ['PCMA', 'opus'] as const)
    test(`ducks sound fed to a ${codec} phone by 12 dB and restores it, with an unchanged count of played samples`, async (t) => {
      const { phone, stream } = await call(t, media, { codec })
      const feed = stream.feed()
      feed.write(sine([600], 5000, 8000))
      await phone.hears(600, 100)
      const heard = (): number => toneLevel(phone.recent(100), 600, phone.codec.sampleRate)
      const full = heard()
      const isAt = (decibels: number) => phone.until(() => Math.abs(heard() - full - decibels) < 0.7)
      stream.duck(true)
      await isAt(-12)
      stream.duck(false)
      await isAt(0)
      stream.duck(true)
      await isAt(-12)
      feed.stop()
      const { playedMs } = await feed.done
      await phone.until(() => isSilent(phone.recent(100)))
      assert.ok(playedMs > 300 && playedMs < 5000)
      stream.duck(false)
      stream.feed().write(sine([600], 2000, 8000))
      await isAt(0)
    })

  test('plays feeds in order; one stopped before its turn never begins', async (t) => {
    const { phone, stream } = await call(t, media)
    const [first, second, third] = [stream.feed(), stream.feed(), stream.feed()]
    const order: string[] = []
    for (const [name, feed] of Object.entries({ first, second, third })) {
      void feed.begun.then(() => order.push(`${name} begun`))
      void feed.done.then(() => order.push(`${name} done`))
      feed.write(sine([600], 100, 8000))
      feed.end()
    }
    second.stop()
    assert.deepEqual(await third.done, { completed: true, playedMs: 100 })
    assert.deepEqual(
      order.filter((event) => event !== 'second done'),
      ['first begun', 'first done', 'third begun', 'third done'],
    )
    const dry = stream.feed()
    dry.write(sine([600], 40, 8000))
    await phone.until(() => dry.playedMs() === 40)
    dry.stop()
    assert.deepEqual(await dry.done, { completed: false, playedMs: 40 }, 'more was to come')
    await stream.close()
    const late = stream.feed()
    assert.deepEqual([late.write(sine([600], 20, 8000)), await late.done], [0, { completed: false, playedMs: 0 }])
  })

  for (const codec of ['PCMA', 'G722', 'opus'] as const) {
    test(`aligns both sides of a ${codec} line exactly`, async (t) => {
      const { phone, stream } = await call(t, media, { codec })
      phone.talk(stream.localPort, 440)
      const sound = stream.listen()
      const { next, ring } = listenTo(sound)
      stream.echo(true)
      await phone.hears(440)
      await soon(async () => {
        const { heard, sent } = await next(200)
        assert.deepEqual(sent, heard)
        return toneLevel(heard, 440, 8000) > -20
      }, 'the tone')
      stream.configure(phone.settings({ send: false }))
      await stream.figures()
      await next(60)
      await soon(async () => {
        const { heard, sent } = await next(100)
        assert.ok(
          sent.every((sample) => sample === 0),
          'nothing is sent to who holds us',
        )
        return toneLevel(heard, 440, 8000) > -20
      }, 'the tone, on hold')
      sound.close()
      await stream.figures()
      assert.ok(ring.ended)
    })
  }

  test('a listener in a room hears both sides, without affecting the others', async (t) => {
    const a = await call(t, media)
    const b = await call(t, media, {}, a.stream)
    const room = media.openRoom()
    room.add(a.stream)
    room.add(b.stream)
    a.phone.talk(a.stream.localPort, 440)
    b.phone.talk(b.stream.localPort, 1000)
    await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
    const sound = a.stream.listen()
    const { next } = listenTo(sound)
    const isOnly = (pcm: Int16Array, hz: number, other: number): boolean =>
      toneLevel(pcm, hz, 8000) > -20 && toneLevel(pcm, other, 8000) < -50
    await soon(async () => {
      const { heard, sent } = await next(200)
      return isOnly(heard, 440, 1000) && isOnly(sent, 1000, 440)
    }, 'both sides')
    a.stream.play({ samples: sine([2000], 1000, 8000) }, { loop: true })
    await soon(async () => isOnly((await next(160)).sent, 2000, 1000), 'what is played instead')
    sound.close()
    a.phone.forget()
    b.phone.forget()
    await Promise.all([a.phone.hears(2000), b.phone.hears(440)])
    room.close()
  })

  test('plays a background under silence, speech and the room until it is replaced or removed', async (t) => {
    const a = await call(t, media)
    const b = await call(t, media, { codec: 'G722' }, a.stream)
    b.phone.talk(b.stream.localPort, 1000)
    a.stream.background({ samples: sine([500], 1000, 16_000), rate: 16_000 }, 0.5)
    await a.phone.until(() => Math.abs(a.phone.level(500, 100) + 20) < 1, 'half as loud as it is')
    const feed = a.stream.feed()
    feed.write(sine([1600], 300, 8000))
    feed.end()
    await a.phone.until(() => a.phone.level(1600, 100) > -16 && a.phone.level(500, 100) > -22, 'speech above it')
    const room = media.openRoom()
    room.add(a.stream)
    room.add(b.stream)
    await a.phone.until(() => a.phone.level(1000, 100) > -20 && a.phone.level(500, 100) > -22, 'the room above it')
    assert.ok(b.phone.level(500, 100) < -50, 'only who it was meant for hears it')
    a.stream.background({ samples: sine([700], 1000, 8000) }, 1)
    await a.phone.until(() => a.phone.level(700, 100) > -16 && a.phone.level(500, 100) < -45, 'the other one')
    a.stream.background(undefined, 0)
    await a.phone.until(() => a.phone.level(1000, 100) > -20 && a.phone.level(700, 100) < -45, 'none')
    room.close()
  })

  test('plays a background under an echo and under forwarded packets', async (t) => {
    const a = await call(t, media)
    const b = await call(t, media, {}, a.stream)
    a.phone.talk(a.stream.localPort, 440)
    b.phone.talk(b.stream.localPort, 1000)
    a.stream.background({ samples: sine([700], 1000, 8000) }, 1)
    a.stream.echo(true)
    await a.phone.until(() => a.phone.level(440, 100) > -20 && a.phone.level(700, 100) > -16, 'both')
    a.stream.echo(false)
    a.stream.background(undefined, 0)
    const room = media.openRoom()
    room.add(a.stream)
    room.add(b.stream)
    await b.phone.hears(440, 100)
    b.stream.background({ samples: sine([700], 1000, 8000) }, 1)
    await b.phone.until(() => b.phone.level(440, 100) > -20 && b.phone.level(700, 100) > -16, 'both in the room')
    room.close()
  })
})
