// test: own process, real time
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { call, startTestMedia, type PhoneCall } from '#test/phones/media-call.ts'
import { toneLevel } from '#test/sound/spectrum.ts'
import { longestSilence } from '#test/sound/tones.ts'
import { sine } from '../sound/tone.ts'

const folderOf = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-media-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const readChannels = (file: string) => {
  const bytes = readFileSync(file)
  const [channels, rate, size] = [bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt32LE(40)]
  assert.equal(size, bytes.length - 44)
  const all = new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length))
  const sides = Array.from({ length: channels }, (_, side) => all.filter((_sample, i) => i % channels === side))
  return { rate, sides, level: (side: number, hz: number) => toneLevel(sides[side]!.subarray(-rate * 0.3), hz, rate) }
}

/** Waits for this number of new packets. Packets not read yet are older: on a busy machine there may be many. */
const packetsLater = async ({ phone, stream }: Pick<PhoneCall, 'phone' | 'stream'>, count: number): Promise<void> => {
  const { packetsSent } = await stream.figures()
  const first = phone.packets[0]?.sequence ?? assert.fail('before the first packet')
  const sent = (): number => (((phone.packets.at(-1)?.sequence ?? first) - first) & 0xffff) + 1
  await phone.until(() => sent() >= packetsSent + count)
}

test('records the received sound of a stream, without played sound', async (t) => {
  const media = startTestMedia(t)
  const file = join(folderOf(t), 'a.wav')
  const { phone, stream } = await call(t, media)
  phone.talk(stream.localPort, 440)
  stream.play({ samples: sine([1000], 5000, 8000) })
  const startedAt = performance.now()
  const recording = stream.record(file)
  await phone.until(() => phone.packets.length > 40)
  const { durationMs, truncated } = await recording.stop()
  const maxMs = performance.now() - startedAt + 250 // late frames are sent in a burst
  assert.equal(truncated, false)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const wav = readChannels(file)
  assert.equal(wav.sides.length, 1)
  assert.equal(durationMs, (wav.sides[0]!.length / wav.rate) * 1000)
  assert.ok(durationMs >= 700 && durationMs <= maxMs, `${durationMs} of ${maxMs}`)
  assert.ok(wav.level(0, 440) > -20 && wav.level(0, 1000) < -50)
})

test('records sent sound in the right channel', async (t) => {
  const media = startTestMedia(t)
  const file = join(folderOf(t), 'a.wav')
  const { phone, stream } = await call(t, media)
  phone.talk(stream.localPort, 440)
  stream.play({ samples: sine([1000], 5000, 8000) })
  const recording = stream.record(file, 2)
  await phone.until(() => phone.packets.length > 40)
  await recording.stop()
  const wav = readChannels(file)
  assert.ok(wav.level(0, 440) > -20 && wav.level(0, 1000) < -50)
  assert.ok(wav.level(1, 1000) > -20 && wav.level(1, 440) < -50)
})

test('records a room in one channel or two, while two phones with one codec still forward their packets', async (t) => {
  const media = startTestMedia(t)
  const folder = folderOf(t)
  const a = await call(t, media)
  const b = await call(t, media, { ptimeMs: 30 }, a.stream)
  const room = media.openRoom()
  room.add(a.stream)
  room.add(b.stream)
  a.phone.talk(a.stream.localPort, 440)
  b.phone.talk(b.stream.localPort, 1000)
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
  const mixed = room.record(join(folder, 'mixed.wav'), 1)
  const split = room.record(join(folder, 'split.wav'), 2, [a.stream])
  const before = a.phone.packets.length
  await packetsLater(a, 25)
  assert.ok(a.phone.packets.slice(before).every(({ bytes }) => bytes === 240))
  assert.equal((await mixed.stop()).truncated, false)
  assert.equal((await split.stop()).truncated, false)
  const one = readChannels(join(folder, 'mixed.wav'))
  assert.equal(one.sides.length, 1)
  assert.ok(one.level(0, 440) > -20 && one.level(0, 1000) > -20)
  const two = readChannels(join(folder, 'split.wav'))
  assert.ok(two.level(0, 440) > -20 && two.level(0, 1000) < -50)
  assert.ok(two.level(1, 1000) > -20 && two.level(1, 440) < -50)
})

test('changes the channels of streams, and records the most urgent announcement in both', async (t) => {
  const media = startTestMedia(t)
  const file = join(folderOf(t), 'a.wav')
  const a = await call(t, media)
  const b = await call(t, media, { codec: 'G722' }, a.stream)
  const room = media.openRoom()
  for (const { stream } of [a, b]) room.add(stream)
  a.phone.talk(a.stream.localPort, 440)
  b.phone.talk(b.stream.localPort, 1000)
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
  const recording = room.record(file, 2, [a.stream])
  const later = (): Promise<void> => packetsLater(a, 25)
  await later()
  recording.divide([b.stream])
  await later()
  for (const { stream } of [a, b]) stream.announce({ samples: sine([1500], 1000, 8000) })
  for (const { stream } of [a, b]) stream.announce({ samples: sine([2000], 1000, 8000) }, 'notice')
  await later()
  await recording.stop()
  const wav = readChannels(file)
  const from = (at: number) => [0, 1].map((side) => wav.sides[side]!.subarray(at * wav.rate, (at + 0.2) * wav.rate))
  const begun = from(0.1).map((sound) => [440, 1000].map((hz) => toneLevel(sound, hz, wav.rate) > -20))
  assert.deepEqual(begun, [
    [true, false],
    [false, true],
  ])
  const ended = [0, 1].map((side) => [440, 1000, 1500, 2000].map((hz) => wav.level(side, hz) > -25))
  assert.deepEqual(ended, [
    [false, true, false, true],
    [true, false, false, true],
  ])
})

test('writes silence to both channels of a paused recording, and not to another one', async (t) => {
  const media = startTestMedia(t)
  const folder = folderOf(t)
  const a = await call(t, media)
  const b = await call(t, media, {}, a.stream)
  const room = media.openRoom()
  for (const { stream } of [a, b]) room.add(stream)
  a.phone.talk(a.stream.localPort, 440)
  b.phone.talk(b.stream.localPort, 1000)
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
  const paused = room.record(join(folder, 'paused.wav'), 2, [a.stream])
  const whole = room.record(join(folder, 'whole.wav'), 2, [a.stream])
  await packetsLater(a, 25)
  paused.pause(true)
  await packetsLater(a, 50)
  paused.pause(false)
  await packetsLater(a, 25)
  const [one, other] = await Promise.all([paused.stop(), whole.stop()])
  assert.ok(Math.abs(one.durationMs - other.durationMs) <= 60, 'times keep matching')
  const wav = readChannels(join(folder, 'paused.wav'))
  for (const [side, hz] of [440, 1000].entries()) {
    const sound = wav.sides[side]!
    const silence = longestSilence(sound)
    assert.ok(silence.length >= 0.9 * wav.rate, `${silence.length} samples of silence on side ${side}`)
    for (const loud of [
      sound.subarray(silence.from - 0.2 * wav.rate, silence.from),
      sound.subarray(silence.to, silence.to + 0.2 * wav.rate),
    ])
      assert.ok(toneLevel(loud, hz, wav.rate) > -20, `${hz} Hz before and after`)
  }
  const all = readChannels(join(folder, 'whole.wav'))
  assert.ok(all.sides.every((sound) => longestSilence(sound).length < 0.5 * all.rate))
})

test('assigns a stream of another thread to its channel', async (t) => {
  const media = startTestMedia(t, { workers: 2, streamsPerWorker: 1 })
  const file = join(folderOf(t), 'a.wav')
  const a = await call(t, media)
  const b = await call(t, media)
  const room = media.openRoom()
  const recording = room.record(file, 2, [b.stream])
  for (const { stream } of [a, b]) room.add(stream)
  a.phone.talk(a.stream.localPort, 440)
  b.phone.talk(b.stream.localPort, 1000)
  await Promise.all([a.phone.hears(1000), b.phone.hears(440)])
  await packetsLater(a, 25)
  await recording.stop()
  const wav = readChannels(file)
  assert.deepEqual(
    [0, 1].map((side) => [440, 1000].map((hz) => wav.level(side, hz) > -20)),
    [
      [false, true],
      [true, false],
    ],
  )
})

test('records sound played to a stream alone in a room in the other channel, without music', async (t) => {
  const media = startTestMedia(t)
  const folder = folderOf(t)
  const { phone, stream } = await call(t, media)
  const room = media.openRoom()
  room.add(stream)
  phone.talk(stream.localPort, 440)
  stream.play({ samples: sine([1000], 5000, 8000) })
  const right = room.record(join(folder, 'right.wav'), 2)
  const left = room.record(join(folder, 'left.wav'), 2, [stream])
  await phone.hears(1000)
  await packetsLater({ phone, stream }, 25)
  await Promise.all([right.stop(), left.stop()])
  const levels = (name: string) => {
    const wav = readChannels(join(folder, `${name}.wav`))
    return [0, 1].map((side) => [440, 1000, 1600].map((hz) => wav.level(side, hz) > -20))
  }
  const [person, assistant] = [
    [true, false, false],
    [false, true, false],
  ]
  assert.deepEqual(
    [levels('right'), levels('left')],
    [
      [assistant, person],
      [person, assistant],
    ],
  )
  const music = stream.play({ samples: sine([1600], 1000, 8000) }, { loop: true, layer: 'music' })
  await phone.hears(1600)
  const held = room.record(join(folder, 'held.wav'), 2)
  await packetsLater({ phone, stream }, 25)
  await held.stop()
  assert.deepEqual(levels('held'), [[false, false, false], person])
  music.stop()
  await phone.hears(1000)
})

test('records two wideband phones in wideband', async (t) => {
  const media = startTestMedia(t)
  const file = join(folderOf(t), 'wide.wav')
  const a = await call(t, media, { codec: 'G722' })
  const b = await call(t, media, { codec: 'G722' }, a.stream)
  const room = media.openRoom()
  room.add(a.stream)
  room.add(b.stream)
  a.phone.talk(a.stream.localPort, 5500)
  b.phone.talk(b.stream.localPort, 1000)
  const recording = room.record(file, 2, [a.stream])
  await b.phone.hears(5500)
  await b.phone.until(() => b.phone.packets.length > 40)
  await recording.stop()
  const wav = readChannels(file)
  assert.equal(wav.rate, 16_000)
  assert.ok(wav.level(0, 5500) > -20)
})

test('ends recordings with their stream, and reports a file that cannot be created', async (t) => {
  const media = startTestMedia(t)
  const folder = folderOf(t)
  const { phone, stream } = await call(t, media)
  phone.talk(stream.localPort, 440)
  const recording = stream.record(join(folder, 'a.wav'))
  const impossible = stream.record(join(folder, 'no', 'such', 'folder.wav'))
  await phone.until(() => phone.packets.length > 10)
  assert.deepEqual([await recording.opened, await impossible.opened], [true, false])
  assert.deepEqual(await impossible.stop(), { durationMs: 0, truncated: true })
  await stream.close()
  const { durationMs, truncated } = await recording.stop()
  assert.ok(durationMs >= 180 && !truncated, String(durationMs))
  assert.equal((readChannels(join(folder, 'a.wav')).sides[0]!.length / 8000) * 1000, durationMs)
})

test('a full disk ends the recording, not the call', async (t) => {
  const media = startTestMedia(t)
  const { phone, stream } = await call(t, media)
  stream.echo(true)
  phone.talk(stream.localPort, 440)
  const recording = stream.record('/dev/full')
  await phone.until(() => phone.packets.length > 60)
  assert.equal((await recording.stop()).truncated, true)
  await phone.hears(440)
})

test('records an echo as sent sound', async (t) => {
  const media = startTestMedia(t)
  const file = join(folderOf(t), 'a.wav')
  const { phone, stream } = await call(t, media)
  stream.echo(true)
  phone.talk(stream.localPort, 440)
  const recording = stream.record(file, 2)
  await phone.hears(440)
  await phone.until(() => phone.packets.length > 40)
  await recording.stop()
  const wav = readChannels(file)
  assert.ok(wav.level(0, 440) > -20 && wav.level(1, 440) > -20)
  phone.forget()
  await phone.hears(440)
})
