// test: real time
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parseWav } from '#test/sound/wav.ts'
import { toneLevel } from '#test/sound/spectrum.ts'
import { Office } from '#test/phones/telephone-office.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { sine } from '#media/sound/tone.ts'
import { wavFile } from '#media/sound/wav.ts'

const [low, high] = [600, 1100]

/** A caller in a browser. */
const open = async (t: TestContext, { office, sound = true, fast = false }: { office?: Office; sound?: boolean; fast?: boolean } = {}) => {
  const opened = office ?? (await Office.open(t))
  const notified: string[] = []
  const farEnd = opened.telephony.openWebLeg(
    {
      ringing: () => notified.push('ringing'),
      answered: () => notified.push('answered'),
      held: (value) => notified.push(`held ${value}`),
      hears: (samples) => caller.hears(samples),
    },
    { sound, fast },
  )
  const caller = new ToneCaller(t, (frame) => farEnd.says(frame))
  t.after(() => farEnd.hangsUp())
  return { office: opened, farEnd, leg: farEnd.leg, told: notified, caller }
}

/** Peak levels of the low and the high tone in each channel. */
const channelsOf = async ({ recordings }: Office, id: string): Promise<{ low: number; high: number }[]> => {
  const { channels, rate } = parseWav(await readFile(join(recordings, '7000001', `${id}.wav`)))
  return channels.map((channel) => {
    const samples = channel.map((sample) => sample * 32_768)
    const pieces = Array.from({ length: Math.floor(samples.length / (rate / 10)) }, (_, i) =>
      samples.subarray((i * rate) / 10, ((i + 1) * rate) / 10),
    )
    const strongest = (tone: number): number => Math.max(...pieces.map((piece) => toneLevel(piece, tone, rate)))
    return { low: strongest(low), high: strongest(high) }
  })
}

test('the browser hears played, fed and background sound; listeners hear its voice', async (t) => {
  const { leg, told: notified, caller } = await open(t)
  leg.ring()
  await leg.openEarly()
  leg.audio.play({ tone: 'beep' })
  await caller.hearsTone(1000)
  await Promise.all([leg.answer(), leg.answer()])
  assert.deepEqual([notified, leg.answered], [['ringing', 'answered'], true])
  leg.audio.background({ wav: wavFile(sine([high], 1000, 16_000), 16_000) }, 0.5)
  const [feed, sound] = [leg.audio.feed(16_000), leg.audio.listen()]
  feed.write(sine([low], 600, 16_000))
  feed.end()
  await caller.until(() => caller.level(low) > -20 && caller.level(high) > -30, 'both')
  assert.deepEqual(await feed.done, { completed: true, playedMs: 600 })
  caller.hums(2000)
  const ring = new SampleRing(sound.buffer)
  const blocks = new Int16Array(20 * 320)
  const side = (sent: boolean): Int16Array => blocks.filter((_, i) => i % 320 >= 160 === sent)
  for (let tries = 0; tries < 20 && toneLevel(side(false), 2000, 8000) < -25; tries++) {
    await ring.hasSamples(blocks.length)
    ring.read(blocks)
  }
  assert.ok(toneLevel(side(false), 2000, 8000) > -25 && toneLevel(side(true), high, 8000) > -30)
  leg.audio.background(undefined, 0)
  await caller.missesTone(high)
  leg.audio.echo(true)
  await caller.hearsTone(2000)
  await leg.audio.sendDtmf('5')
  await caller.until(() => toneLevel(caller.recent(500), 770, 16_000) > -30, 'the key')
  await leg.hangUp('busy')
  assert.deepEqual(await leg.ended, { by: 'us', cause: 'busy' })
  await ring.hasSamples(Infinity)
  assert.ok(ring.ended)
})

test('a browser and a telephone hear each other in a bridge; on hold there is music, and the browser is not heard', async (t) => {
  const { office, leg, farEnd, told: notified, caller } = await open(t)
  const { phone } = await office.phone({ registered: false })
  const call = phone.call('+493023125099')
  const other = await office.incoming()
  await other.leg.answer()
  await Promise.all([call.answered, leg.answer()])
  const bridge = office.telephony.bridge()
  t.after(() => bridge.close())
  bridge.add(leg)
  bridge.add(other.leg)
  caller.hums(low)
  phone.rtp.say(high)
  await Promise.all([phone.rtp.hears(low), caller.hearsTone(high)])
  assert.ok(caller.level(low) < -40, 'nobody hears himself')
  const recording = bridge.record({ accountId: '7000001', id: 'both' }, [leg])
  assert.equal(await recording.opened, true)
  const from = caller.frames
  await caller.until(() => caller.frames > from + 15, 'nothing is heard')
  const keys: string[] = []
  leg.observe({ dtmf: (digit) => keys.push(digit), typed: (text) => keys.push(text) })
  leg.observe({ dtmfSignalled: (digit) => keys.push(`${digit} signalled`) })
  farEnd.presses('1#')
  assert.equal(farEnd.types('hello'), true)
  await leg.hold(true)
  await Promise.all([phone.rtp.missing(low), caller.missesTone(high)])
  await caller.until(() => caller.recent(200).some((sample) => Math.abs(sample) > 200), 'no music')
  farEnd.presses('2')
  assert.equal(farEnd.types('lost'), false)
  await leg.hold(false)
  await Promise.all([phone.rtp.hears(low), caller.hearsTone(high)])
  leg.audio.mute(true)
  await phone.rtp.missing(low)
  const { durationMs } = await recording.stop()
  assert.ok(durationMs > 300)
  const [left, right] = await channelsOf(office, 'both')
  assert.ok(left && left.low > -25 && left.low - left.high > 15, `left ${JSON.stringify(left)}`)
  assert.ok(right && right.high > -25 && right.high - right.low > 15, `right ${JSON.stringify(right)}`)
  assert.deepEqual(
    [keys, notified],
    [
      ['1', '1 signalled', '#', '# signalled', 'hello'],
      ['answered', 'held true', 'held false'],
    ],
  )
  farEnd.hangsUp()
  assert.deepEqual(await leg.ended, { by: 'peer', cause: 'normal' })
  assert.equal(farEnd.types('gone'), false)
})

test('fed sound takes no time without a listener, if requested', async (t) => {
  const { leg } = await open(t, { sound: false, fast: true })
  await leg.answer()
  const feed = leg.audio.feed(16_000)
  assert.equal(feed.write(new Int16Array(160_000)), 160_000)
  await feed.begun
  assert.equal(feed.playedMs(), 10_000)
  feed.end()
  assert.deepEqual(await feed.done, { completed: true, playedMs: 10_000 })
  assert.equal(feed.write(new Int16Array(1)), 0)
  const other = leg.audio.feed(8000)
  other.write(new Int16Array(80))
  other.stop()
  assert.deepEqual(await other.done, { completed: false, playedMs: 10 })
})

test('without sound sends no frames, but keeps the timing and records', async (t) => {
  const { office, leg, caller } = await open(t, { sound: false })
  await leg.answer()
  const bridge = office.telephony.bridge()
  t.after(() => bridge.close())
  bridge.add(leg)
  const recording = bridge.record({ accountId: '7000001', id: 'silent' }, [])
  await recording.opened
  const started = performance.now()
  const feed = leg.audio.feed(16_000)
  feed.write(sine([low], 400, 16_000))
  feed.end()
  await feed.begun
  assert.deepEqual(await feed.done, { completed: true, playedMs: 400 })
  assert.ok(performance.now() - started > 150, 'what a machine that was busy made late is hurried, but never more than a fifth of a second')
  assert.equal(caller.frames, 0)
  await recording.stop()
  assert.ok((await channelsOf(office, 'silent')).some((channel) => channel.low > -25))
  await leg.hold(true)
  await leg.hold(false)
  await leg.hangUp('normal')
})

test('does not replay speech from before a listener was attached', async (t) => {
  const { leg, caller } = await open(t)
  await leg.answer()
  const passes = (frames: number): Promise<void> => {
    const from = caller.frames
    return caller.until(() => caller.frames > from + frames, 'nothing is heard')
  }
  caller.hums(low)
  await passes(40)
  caller.hums(undefined)
  await passes(40)
  const ring = new SampleRing(leg.audio.listen().buffer)
  const blocks = new Int16Array(20 * 320)
  await ring.hasSamples(blocks.length)
  ring.read(blocks)
  assert.ok(blocks.every((sample) => Math.abs(sample) < 100))
  await leg.hangUp('normal')
})

test('a browser that leaves while the sound is being opened leaves no state behind', async (t) => {
  const { leg, farEnd, told: notified } = await open(t)
  const answering = leg.answer()
  farEnd.hangsUp()
  await answering
  assert.deepEqual([notified, leg.answered, await leg.ended], [[], false, { by: 'peer', cause: 'normal' }])
  await leg.hold(true)
  assert.throws(() => leg.asFax())
  await assert.rejects(leg.refer({ dialled: '1' }))
  assert.deepEqual([leg.dialog(), leg.refers, leg.heldByPeer], [undefined, false, false])
})
