// test: real time
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { userIn, type PhoneCall } from '#test/phones/sip-phone.ts'
import { Office, type ReceivedCall } from '#test/phones/telephone-office.ts'
import type { Leg, LegEnd, LegObserver } from '#core/kernel/ports/telephony.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { sine } from '#media/sound/tone.ts'
import { readWav, wavFile } from '#media/sound/wav.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import { toneLevel } from '#test/sound/spectrum.ts'

const [low, high] = [600, 1100]

/** A phone has called, and we have answered. */
const talking = async (t: TestContext, office?: Office): Promise<ReceivedCall & { office: Office }> => {
  const opened = office ?? (await Office.open(t))
  return { ...(await opened.answerCall()), office: opened }
}

/** Resolves with the arguments of the first call of this method. */
const notifications = <K extends keyof LegObserver>(leg: Leg, member: K): Promise<Parameters<NonNullable<LegObserver[K]>>[0]> =>
  new Promise((resolve) => {
    leg.observe({ [member]: resolve })
  })

test('plays sound and echoes the far end', async (t) => {
  const { phone, leg } = await talking(t)
  assert.equal(leg.answered, true)
  const beep = leg.audio.play({ tone: 'beep' })
  await phone.rtp.hears(1000)
  assert.deepEqual((await beep.done).completed, true)
  phone.rtp.say(low)
  leg.audio.echo(true)
  await phone.rtp.hears(low)
  leg.audio.echo(false)
  await phone.rtp.missing(low)
})

test('feeds speech over a background requested early, and gives listeners both sides', async (t) => {
  const { phone, call, leg } = await (await Office.open(t)).receiveCall()
  leg.audio.background({ wav: wavFile(sine([high], 1000, 16_000), 16_000) }, 0.5)
  assert.deepEqual([leg.audio.feed(8000).write(new Int16Array(10)), new SampleRing(leg.audio.listen().buffer).ended], [0, true])
  await leg.answer()
  await call.answered
  phone.rtp.say(2000)
  const [feed, sound] = [leg.audio.feed(16_000), leg.audio.listen()]
  feed.write(sine([low], 400, 16_000))
  feed.end()
  await feed.begun
  await phone.rtp.until(() => phone.rtp.level(low, 100) > -18 && phone.rtp.level(high, 100) > -24, 'both')
  assert.deepEqual([await feed.done, feed.playedMs()], [{ completed: true, playedMs: 400 }, 400])
  const ring = new SampleRing(sound.buffer)
  await ring.hasSamples(50 * 320)
  const blocks = new Int16Array(50 * 320)
  ring.read(blocks)
  const side = (sent: boolean): Int16Array => blocks.filter((_, i) => i % 320 >= 160 === sent).subarray(-1600)
  assert.ok(toneLevel(side(false), 2000, 8000) > -20 && toneLevel(side(true), high, 8000) > -24)
  leg.audio.background(undefined, 0)
  await phone.rtp.missing(high)
  await leg.hangUp('normal')
  await ring.hasSamples(Infinity)
  assert.ok(ring.ended)
})

test('phones in a bridge hear each other and not themselves; a muted one is not heard', async (t) => {
  const one = await talking(t)
  const other = await talking(t, one.office)
  const bridge = one.office.telephony.bridge()
  t.after(() => bridge.close())
  bridge.add(one.leg)
  bridge.add(other.leg)
  one.phone.rtp.say(low)
  other.phone.rtp.say(high)
  await Promise.all([one.phone.rtp.hears(high), other.phone.rtp.hears(low)])
  assert.ok(one.phone.rtp.level(low) < -50)
  one.leg.audio.mute(true)
  await other.phone.rtp.missing(low)
  one.leg.audio.mute(false)
  await other.phone.rtp.hears(low)
  bridge.remove(other.leg)
  await one.phone.rtp.missing(high)
})

test('opens early media, which the answer keeps', async (t) => {
  const { phone, call, leg } = await (await Office.open(t)).receiveCall()
  leg.ring()
  assert.equal((await call.progress.next()).status, 180)
  await leg.openEarly()
  const { status, sdp } = await call.progress.next()
  assert.equal(status, 183)
  leg.audio.play({ tone: 'beep' })
  await phone.rtp.hears(1000)
  await leg.answer()
  await call.answered
  assert.equal(parseSdp(sdp ?? '').media[0]?.port, parseSdp(Buffer.from((await call.answered).body)).media[0]?.port)
})

test('answers an INVITE without an offer with an offer', async (t) => {
  const { phone, call, leg } = await (await Office.open(t)).receiveCall('+493023125099', { sdp: undefined })
  await leg.answer()
  await call.answered
  phone.talkTo((await call.offers.next()) ?? '')
  leg.audio.play({ tone: 'beep' })
  await phone.rtp.hears(1000)
})

test('signals hold with music, and resumes', async (t) => {
  const { phone, call, leg } = await talking(t)
  phone.rtp.say(low)
  leg.audio.echo(true)
  await phone.rtp.hears(low)
  await leg.hold(true)
  assert.match((await call.offers.next()) ?? '', /a=sendonly/)
  await phone.rtp.missing(low)
  await phone.rtp.until(() => phone.rtp.recent(200).some((sample) => Math.abs(sample) > 500), 'no music')
  await leg.hold(true)
  await leg.hold(false)
  assert.match((await call.offers.next()) ?? '', /a=sendrecv/)
  await phone.rtp.hears(low)
})

test('pauses a feed under hold music, plays an announcement over it; the last of several hold requests wins', async (t) => {
  const { phone, call, leg } = await talking(t)
  const feed = leg.audio.feed(8000)
  feed.write(sine([low], 8000, 8000))
  await phone.rtp.hears(low)
  await Promise.all([leg.hold(true), leg.hold(false), leg.hold(true)])
  for (const wanted of [/a=sendonly/, /a=sendrecv/, /a=sendonly/]) assert.match((await call.offers.next()) ?? '', wanted)
  await phone.rtp.missing(low)
  const playedMs = feed.playedMs()
  const { begun, done } = leg.audio.announce({ wav: wavFile(sine([high], 500, 8000), 8000) })
  await begun
  await phone.rtp.hears(high)
  assert.equal((await done).completed, true)
  await phone.rtp.missing(high)
  assert.equal(feed.playedMs(), playedMs)
  await leg.hold(false)
  await phone.rtp.hears(low)
  leg.audio.muteInput(true)
  await phone.rtp.missing(low)
  assert.ok(feed.playedMs() > playedMs + 200, 'its time goes on')
  leg.audio.muteInput(false)
  await phone.rtp.hears(low)
})

test('delays hold until the phone has confirmed our answer', async (t) => {
  const { call, leg } = await (await Office.open(t)).receiveCall()
  await assert.rejects(leg.hold(true), /has not answered/)
  void leg.answer()
  await leg.hold(true)
  assert.match((await call.offers.next()) ?? '', /a=sendonly/)
})

test('detects hold and resume by the phone', async (t) => {
  const { phone, call, leg } = await talking(t)
  for (const direction of ['sendonly', 'inactive']) {
    const held = notifications(leg, 'held')
    const { status, sdp } = await call.session.offer(phone.sdp(direction))
    assert.equal(status, 200)
    assert.match(sdp ?? '', direction === 'sendonly' ? /a=recvonly/ : /a=inactive/)
    assert.equal(await held, true)
    assert.equal(leg.heldByPeer, true)
    const back = notifications(leg, 'held')
    await call.session.offer(phone.sdp())
    assert.equal(await back, false)
  }
})

test('receives each key once, however it is sent, and sends keys', async (t) => {
  const { phone, call, leg } = await talking(t)
  const keys: string[] = []
  const heard = (count: number) =>
    new Promise<void>((resolve) => {
      const stop = leg.observe({
        dtmf: (digit) => {
          keys.push(digit)
          if (keys.length < count) return
          stop()
          resolve()
        },
      })
    })
  const first = heard(1)
  assert.equal(await call.session.info('application/dtmf-relay', 'Signal=5\r\nDuration=100\r\n'), 200)
  await first
  assert.equal(await call.session.info('text/plain', 'hello'), 415)
  const more = heard(4)
  phone.rtp.press('12#')
  await more
  assert.deepEqual(keys, ['5', '1', '2', '#'])
  await leg.audio.sendDtmf('9*')
  await phone.rtp.until(() => phone.rtp.keys.length === 2, 'keys did not arrive')
  assert.deepEqual(phone.rtp.keys, ['9', '*'])
})

test('reports in-band DTMF as a key, but not as signalled DTMF', async (t) => {
  const { phone, call, leg } = await talking(t)
  await call.session.offer(
    phone
      .sdp()
      .replace(/ 101\r\n/, '\r\n')
      .replace(/a=rtpmap:101.*\r\n/, ''),
  )
  const signalled: string[] = []
  leg.observe({ dtmfSignalled: (digit) => signalled.push(digit) })
  phone.rtp.pressAudibly('5')
  assert.equal(await notifications(leg, 'dtmf'), '5')
  assert.deepEqual(signalled, [])
})

test('records the sound of a phone', async (t) => {
  const { office, phone, leg } = await talking(t)
  phone.rtp.say(low)
  leg.audio.echo(true)
  await phone.rtp.hears(low)
  const recording = leg.audio.record({ accountId: office.accountId, id: 'a-recording' })
  phone.rtp.forget()
  await phone.rtp.hears(low, 500)
  const { durationMs, bytes, truncated } = await recording.stop()
  assert.equal(truncated, false)
  assert.equal(recording.id, 'a-recording')
  const { samples, rate } = readWav(await readFile(join(office.recordings, office.accountId, 'a-recording.wav')))
  assert.ok(Math.abs((samples.length / rate) * 1000 - durationMs) < 50)
  assert.equal(bytes, 44 + samples.length * 2)
  const modeOf = async (name: string) => (await stat(join(office.recordings, office.accountId, name))).mode & 0o777
  assert.deepEqual([await modeOf('a-recording.wav'), await modeOf('.')], [0o600, 0o700])
  assert.ok(toneLevel(samples.subarray(0, 2000), low, rate) > -20)
  assert.throws(() => leg.audio.record({ accountId: '..', id: 'x/../../y' }), /odd name/)
})

const ends: [string, (parts: { leg: Leg; call: PhoneCall }) => unknown, LegEnd][] = [
  ['the phone hangs up', ({ call }) => call.session.end({ reason: 'Q.850;cause=16' }), { by: 'peer', cause: 'normal' }],
  ['we hang up', ({ leg }) => leg.hangUp('payment_required'), { by: 'us', cause: 'payment_required' }],
]
for (const [name, act, expected] of ends) {
  test(`a call ends once, for one reason: ${name}`, async (t) => {
    const { leg, call } = await talking(t)
    await act({ leg, call })
    assert.deepEqual(await leg.ended, expected)
    assert.equal((await call.ended).by, expected.by === 'us' ? 'peer' : 'us')
    await leg.hangUp('failed')
    assert.deepEqual(await leg.ended, expected)
  })
}

test('rejects a call with the SIP status and Q.850 cause', async (t) => {
  const { call, leg } = await (await Office.open(t)).receiveCall()
  await leg.hangUp('busy')
  const { status, message } = await call.ended
  assert.equal(status, 486)
  assert.equal(message?.header('reason'), 'Q.850;cause=17;text="User busy"')
})

test('reports a caller that cancels, with its reason', async (t) => {
  const { call, leg } = await (await Office.open(t)).receiveCall()
  leg.ring()
  await call.progress.next()
  await call.session.end({ reason: 'SIP;cause=200;text="Call completed elsewhere"' })
  assert.deepEqual(await leg.ended, { by: 'peer', cause: 'answered_elsewhere' })
})

test('gives up on a silent phone, but not while it is on hold', async (t) => {
  const office = await Office.open(t, { media: { silentAfterMs: { first: 1_200, later: 1_200 } } })
  const { phone, call, leg } = await talking(t, office)
  await leg.hold(true)
  phone.rtp.muteInput()
  phone.rtp.forget()
  await phone.rtp.until(() => phone.rtp.heardMs > 1_800, 'no music')
  assert.equal(await Promise.race([leg.ended, Promise.resolve('still there')]), 'still there')
  await leg.hold(false)
  assert.deepEqual(await leg.ended, { by: 'network', cause: 'media_timeout' })
  assert.match((await call.ended).reason ?? '', /No audio arrives/)
})

test('reports the progress of a transfer to the phone that requested it', async (t) => {
  const { office, call, leg } = await talking(t)
  const asked = notifications(leg, 'transferAsked')
  const statuses: number[] = []
  const referred = call.session.refer(`sip:+493023125001@${office.server}`, { notified: (status) => statuses.push(status) })
  const transfer = await asked
  assert.deepEqual(transfer.to, { dialled: '+493023125001' })
  transfer.trying()
  transfer.failed('busy')
  assert.equal(await referred, 486)
  assert.ok(statuses.includes(100))
})

test('a transfer to one of our calls names its leg; one to an unknown call gets 481', async (t) => {
  const { office, phone, call, leg } = await talking(t)
  const second = phone.call('+493023125098')
  const other = await office.incoming()
  await other.leg.answer()
  await second.answered
  const asked = notifications(leg, 'transferAsked')
  const referred = call.session.refer(`sip:+493023125098@${office.server}`, { replaces: second.session })
  const transfer = await asked
  assert.deepEqual(transfer.to, { leg: other.leg })
  transfer.done()
  assert.equal(await referred, 200)
  assert.equal(await call.session.refer(`sip:x@${office.server}?Replaces=nobody%3Bto-tag%3D1%3Bfrom-tag%3D2`), 481)
})

test('rejects a transfer that no observer handles', async (t) => {
  const { office, call } = await talking(t)
  assert.equal(await call.session.refer(`sip:+493023125001@${office.server}`), 603)
})

test('asks a phone to call another party by REFER', async (t) => {
  const { call, leg } = await talking(t)
  const asked: string[] = []
  call.session.observe({
    ...call.observer,
    referred: (refer) => {
      asked.push(refer.referTo.uri)
      refer.notify(asked.length === 1 ? 200 : 603)
    },
  })
  await leg.refer({ dialled: '+493023125001' })
  await assert.rejects(leg.refer({ dialled: '+493023125002' }), /603/)
  assert.deepEqual(asked.map(userIn), ['+493023125001', '+493023125002'])
  call.session.observe({ ...call.observer, referred: (refer) => (refer.notify(180), void call.session.end()) })
  await assert.rejects(leg.refer({ dialled: '+493023125003' }), /202/, 'gone before it said whether it reached them')
})

test('knows REFER support from Allow, and ringing of the target from NOTIFY', async (t) => {
  const { call, leg } = await talking(t)
  assert.equal(leg.refers, true)
  call.session.observe({ ...call.observer, referred: (refer) => [100, 180, 180, 200].forEach((status) => refer.notify(status)) })
  let rang = 0
  await leg.refer({ dialled: '+493023125001' }, { ringing: () => rang++ })
  assert.equal(rang, 2)
  await leg.hangUp('normal')
  assert.equal(leg.refers, false)
})

test('identifies the leg by Replaces when a phone joins another call', async (t) => {
  const { office, phone, call, leg } = await talking(t)
  const second = phone.call('+493023125098')
  const other = await office.incoming()
  await other.leg.answer()
  await second.answered
  call.session.observe({
    ...call.observer,
    referred: (refer) => {
      const third = phone.call('', { uri: refer.referTo.uri, headers: [['Replaces', refer.replaces ?? '']] })
      void third.answered.then(() => refer.notify(200))
    },
  })
  const referred = leg.refer({ leg: other.leg })
  const coming = await office.incoming()
  assert.equal(coming.replaces, other.leg)
  await coming.leg.answer()
  await referred
})
