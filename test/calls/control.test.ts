import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { wavFile } from '#media/sound/wav.ts'
import { sine } from '#media/sound/tone.ts'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import type { Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { startSipp } from '#test/peers/sipp.ts'
import { loud, secondsOf, secondsOfSound } from '#test/sound/tones.ts'
import { parseWav, type Wav } from '#test/sound/wav.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'

const carrier = '127.0.0.2'
const rate = 8000
/** Tones in Hz: far from key tones, each other and each other's overtones. */
const [own, other, assistant, announced] = [600, 1100, 1000, 1900]

const level = -6

/** Files of all kinds on a customer's server. */
const files: Record<string, Uint8Array> = {
  '/tone.wav': wavFile(sine([announced], 1500, rate, level), rate),
  '/long.wav': wavFile(sine([announced], 3000, rate, level), rate),
  '/wide.wav': wavFile(sine([announced], 100, 16_000), 16_000),
  '/page.html': Buffer.from('<html>'),
}

const serveFiles = (t: Scope): Promise<string> =>
  startLoopbackServer(t, ({ url = '' }, reply) => {
    const file = files[url]
    if (file) reply.end(file)
    else reply.writeHead(url === '/moved' ? 302 : 404, { location: '/tone.wav' }).end()
  })

/** External party that sends its tone all the time. */
interface Outside {
  phone: SipPhone
  call: PhoneCall
}

const callIn = async (t: TestContext, exchange: Exchange, number: string, { events = true } = {}): Promise<Outside> => {
  const phone = await SipPhone.open(t, { server: exchange.sip, address: carrier, user: '+498912345678' })
  const call = phone.call(number, events ? {} : { sdp: phone.sdp().replace(/ 101\r\n.*telephone-event.*/, '') })
  void call.answered.then(() => phone.rtp.say(other))
  return { phone, call }
}

/** A call is listed when both ends are connected; each phone learns that separately. */
const callOf = (exchange: Exchange, number: string) =>
  until('the call is listed', async () =>
    (await exchange.admin.listCalls()).data.find(({ participants }) => participants.some(({ phoneNumber }) => phoneNumber === number)),
  )

/** Last half second that a softphone heard, all of it later than now. */
const listen = async (phone: Phone): Promise<() => Promise<Float32Array | undefined>> => {
  const newest = async (): Promise<Float32Array> => (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
  const before = (await newest()).length
  return async () => {
    const samples = await newest()
    return samples.length - before < rate / 2 ? undefined : samples.subarray(-rate / 2)
  }
}

/** Asserts that of these tones the softphone hears only this one, or none. */
const hearsOnly = async (phone: Phone, hz: number | undefined): Promise<void> => {
  const recent = await listen(phone)
  const tones = [own, other, assistant, announced]
  let found: number[] | undefined
  await until('the sound', async () => {
    const last = await recent()
    found = last && tones.filter((tone) => secondsOf(last, rate, tone, loud) > (tone === hz ? 0.25 : 0))
    return last && found?.join() === (hz ?? []).toString() ? true : undefined
  }).catch((error: unknown) => {
    throw new Error(`${phone.user} should hear ${hz}, but hears ${found?.join()}`, { cause: error })
  })
}

const isMusic = ({ phone }: Outside): Promise<void> =>
  phone.rtp.until(() => {
    const sound = Float32Array.from(phone.rtp.recent(500), (sample) => sample / 32_768)
    return [own, other, assistant].every((hz) => secondsOf(sound, rate, hz, loud) === 0) && secondsOfSound(sound, rate) > 0.3
  }, 'no music')

/** Connects an external party with a phone of the account. */
const talking = async (t: TestContext, exchange: Exchange) => {
  const phone = await exchange.newPhone(t, { tone: own })
  const { number } = await exchange.newLine(phone.deviceId)
  const outside = await callIn(t, exchange, number)
  await phone.answer()
  await Promise.all([outside.call.answered, phone.event('CALL_ESTABLISHED')])
  const { callId } = await callOf(exchange, number)
  await Promise.all([hearsOnly(phone, other), outside.phone.rtp.hears(own)])
  return { phone, outside, callId, number }
}

const recordingsOf = async (exchange: Exchange, callId: string): Promise<Wav[]> => {
  const entry = await until('the call in the history', async () =>
    (await exchange.admin.listOwnHistory({ types: ['CALL'], limit: 1000 })).items.find((item) => item.callId === callId),
  )
  const names = (entry.recordings ?? []).map(({ id }) => join(exchange.data, 'recordings', exchange.accountId, `${id}.wav`))
  return Promise.all(names.map(async (name) => parseWav(await readFile(name))))
}

const secondsIn = ({ channels, rate: perSecond }: Wav, side: number, hz: number): number =>
  secondsOf(channels[side] ?? new Float32Array(), perSecond, hz, loud)

test('applies commands on running calls, heard at every party', { concurrency: 8 }, async (t) => {
  if (!(await needs(t, 'baresip', 'sipp'))) return
  const server = await serveFiles(t)
  const tone = Buffer.from(wavFile(sine([assistant], 30_000, rate, level), rate)).toString('base64')
  const endpoint = await startAssistantEndpoint(t, ({ type, session }) =>
    type === 'session_start' ? { type: 'audio', session_id: session.id, audio: tone } : undefined,
  )
  const egress = `${server},${endpoint.address}`
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: egress, OFFHOOK_RATE_LIMIT: '0' })
  const { admin } = exchange
  await exchange.newTrunk(carrier)

  const hold = t.test('hold: plays music at both ends once both phones agreed; then reconnects them', async (t) => {
    const { user, password, deviceId } = await exchange.newDevice()
    const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
    await phone.register()
    const { number } = await exchange.newLine(deviceId)
    const outside = await callIn(t, exchange, number)
    const incoming = await phone.incoming()
    await phone.accept(incoming)
    await outside.call.answered
    phone.rtp.say(own)
    const inside: Outside = { phone, call: incoming.call }
    const both = [inside, outside]
    const { callId } = await callOf(exchange, number)
    const talk = (): Promise<unknown> => Promise.all([phone.rtp.hears(other), outside.phone.rtp.hears(own)])
    await talk()
    await Promise.all([admin.holdCall({ callId }, { value: true }), admin.holdCall({ callId }, { value: true })])
    for (const { call } of both) assert.match((await call.offers.next()) ?? '', /a=sendonly/)
    await Promise.all(both.map(isMusic))
    const held = await callOf(exchange, number)
    assert.deepEqual([held.hold, held.participants.map((one) => one.hold)], [true, [true, true]])
    await admin.announceInCall({ callId }, { url: `http://${server}/tone.wav` })
    await Promise.all(both.map(({ phone: ear }) => ear.rtp.hears(announced)))
    await Promise.all(both.map(({ phone: ear }) => ear.rtp.missing(announced)))
    await Promise.all(both.map(isMusic))
    await admin.holdCall({ callId }, { value: false })
    for (const { call } of both) assert.match((await call.offers.next()) ?? '', /a=sendrecv/)
    await talk()

    // A hold by the phone also shows in the API.
    await inside.call.session.offer(phone.sdp('sendonly'))
    await isMusic(outside)
    await admin.holdCall({ callId }, { value: true })
    await admin.holdCall({ callId }, { value: false })
    await isMusic(outside)
    await inside.call.session.offer(phone.sdp())
    await talk()
    await admin.hangUpCall({ callId })
    await Promise.all(both.map(({ call }) => call.ended))
  })

  const mute = t.test('muted: silences the account’s phone, which still hears, also through a hold', async (t) => {
    const { phone, outside, callId } = await talking(t, exchange)
    const { rtp } = outside.phone
    await admin.muteCall({ callId }, { value: true })
    await Promise.all([rtp.missing(own), hearsOnly(phone, other)])
    await admin.holdCall({ callId }, { value: true })
    await isMusic(outside)
    await admin.holdCall({ callId }, { value: false })
    await rtp.until(() => rtp.recent(200).every((sample) => Math.abs(sample) < 100), 'it is not silent')
    await admin.muteCall({ callId }, { value: false })
    await rtp.hears(own)
    await admin.hangUpCall({ callId })
    await phone.event('CALL_CLOSED')
  })

  const keys = t.test('dtmf: sends each key once to all parties as an event; rejects letters', async (t) => {
    const { phone, outside, callId } = await talking(t, exchange)
    const started = performance.now()
    await admin.sendDtmf({ callId }, { sequence: '13#' })
    assert.ok(performance.now() - started >= 500, 'it is done when the last tone is out')
    for (const digit of '13#') assert.equal((await phone.event('CALL_DTMF_START')).param, digit)
    await outside.phone.rtp.until(() => outside.phone.rtp.keys.length >= 3, 'three keys')
    await assert.rejects(admin.sendDtmf({ callId }, { sequence: '1A' }), { status: 400 })
    await Promise.all([hearsOnly(phone, other), outside.phone.rtp.hears(own)])
    assert.deepEqual(outside.phone.rtp.keys, ['1', '3', '#'])
    assert.equal(phone.events().filter(({ type }) => type === 'CALL_DTMF_START').length, 3)
    await admin.hangUpCall({ callId })
  })

  const tones = t.test('dtmf: sends tones where events were not agreed; does not detect their echo as a key', async (t) => {
    const sipp = await startSipp(t, { scenario: 'uas-in-band', echo: true })
    const number = await exchange.numberOf(t, sipp)
    const outside = await callIn(t, exchange, number, { events: false })
    await outside.call.answered
    const { rtp } = outside.phone
    await rtp.hears(other)
    const { callId } = await callOf(exchange, number)
    rtp.forget()
    await admin.sendDtmf({ callId }, { sequence: '15' })
    const seconds = (hz: number): number => {
      const sound = Float32Array.from(rtp.recent(rtp.heardMs), (sample) => sample / 32_768)
      return secondsOf(sound, rate, hz, 0.05)
    }
    const keyTones = [697, 1209, 770, 1336]
    await rtp.until(() => keyTones.every((hz) => seconds(hz) >= 0.08), 'the keys are not heard')
    await rtp.hears(other)
    for (const hz of keyTones) assert.ok(seconds(hz) <= 0.3, `${hz} Hz for ${seconds(hz)} s`)
    assert.deepEqual(rtp.keys, [])
    await admin.hangUpCall({ callId })
    await outside.call.ended
  })

  const announcement = t.test('announcements: replaces the other party at both ends; responds when playback starts', async (t) => {
    const { phone, outside, callId } = await talking(t, exchange)
    const { rtp } = outside.phone
    const url = `http://${server}/long.wav`
    await admin.announceInCall({ callId }, { url })
    rtp.forget() // everything heard from now on comes after the response
    await Promise.all([hearsOnly(phone, announced), rtp.hears(announced), rtp.missing(own)])
    await Promise.all([hearsOnly(phone, other), rtp.hears(own), rtp.missing(announced)])
    const problem = (name: string): Promise<string> =>
      admin.announceInCall({ callId }, { url: name }).then(
        () => assert.fail(`${name} was taken`),
        (error: { status: number; message: string }) => `${error.status} ${error.message}`,
      )
    assert.match(await problem(`http://${server}/wide.wav`), /^400 .*16000 Hz/)
    assert.match(await problem(`http://${server}/page.html`), /^400 .*no WAV/)
    assert.match(await problem(`http://${server}/moved`), /^400 .*302/)
    assert.match(await problem('ftp://example.com/a.wav'), /^400 .*http/)
    const hidden = ['http://127.0.0.1:1/', 'http://169.254.169.254/', 'http://[::1]/', 'http://nowhere.invalid/']
    assert.equal(new Set(await Promise.all(hidden.map(problem))).size, 1, 'tells nothing about the internal network')
    await admin.hangUpCall({ callId })
  })

  const recording = t.test('recording: keeps two parts of a call, the account’s side left, the notice in both channels', async (t) => {
    const { phone, outside, callId } = await talking(t, exchange)
    await admin.recordCall({ callId }, { value: true, announcement: true })
    await admin.recordCall({ callId }, { value: true, announcement: true })
    await Promise.all([hearsOnly(phone, other), outside.phone.rtp.hears(own)])
    await admin.recordCall({ callId }, { value: false, announcement: false })
    await admin.muteCall({ callId }, { value: true })
    await admin.recordCall({ callId }, { value: true, announcement: false })
    assert.equal((await admin.listCalls()).data.find((call) => call.callId === callId)?.recording, true)
    for (let half = 0; half < 2; half++) await hearsOnly(phone, other) // half a second each
    await phone.hangUp()
    const [first, second, ...more] = await recordingsOf(exchange, callId)
    assert.ok(first && second && more.length === 0)
    assert.ok(secondsIn(first, 0, own) > 0.8 && secondsIn(first, 0, other) === 0, 'left is the account’s side')
    assert.ok(secondsIn(first, 1, other) > 0.8 && secondsIn(first, 1, own) === 0, 'right is the other')
    const [left = new Float32Array(), right = new Float32Array()] = first.channels
    assert.equal(left.length, right.length)
    // The notice is the same in both channels: after removing each party's tone, the rest must match.
    assert.ok(alike(left, right, first.rate), 'the notice is in both channels')
    assert.equal(secondsIn(second, 0, own), 0, 'a muted party is not recorded')
    assert.ok(secondsIn(second, 1, other) > 0.4, 'the other is')
  })

  const assisted = t.test('holds, mutes, announces to and records a call of an assistant', async (t) => {
    // A caller who may interrupt would duck the assistant.
    const barge_in = { strategy: 'none' } as const
    const { id: aiFlowId } = await admin.createFlow({}, { name: 'Assistant', webhookUrl: endpoint.url, barge_in })
    const number = await exchange.newNumber(aiFlowId)
    const outside = await callIn(t, exchange, number)
    const { rtp } = outside.phone
    await outside.call.answered
    rtp.say(undefined) // the assistant does not speak over a caller
    await rtp.hears(assistant)
    rtp.say(other)
    const { callId, participants } = await callOf(exchange, number)
    assert.deepEqual(
      participants.map(({ phoneNumber, owner }) => [phoneNumber, owner]),
      [
        ['+498912345678', false],
        [number, true],
      ],
    )
    await admin.recordCall({ callId }, { value: true, announcement: false })
    await admin.muteCall({ callId }, { value: true })
    await rtp.missing(assistant)
    await admin.muteCall({ callId }, { value: false })
    await rtp.hears(assistant)
    await admin.announceInCall({ callId }, { url: `http://${server}/tone.wav` })
    await Promise.all([rtp.hears(announced), rtp.missing(assistant)])
    await Promise.all([rtp.hears(assistant), rtp.missing(announced)])
    await admin.holdCall({ callId }, { value: true })
    await isMusic(outside)
    await admin.holdCall({ callId }, { value: false })
    await rtp.hears(assistant, 500)
    await admin.hangUpCall({ callId })
    const [wav] = await recordingsOf(exchange, callId)
    assert.ok(wav)
    assert.ok(secondsIn(wav, 0, assistant) > 0.3 && secondsIn(wav, 0, other) === 0, 'left is the assistant')
    assert.ok(secondsIn(wav, 1, other) > 0.5 && secondsIn(wav, 1, assistant) === 0, 'right is the person')
    assert.ok(secondsIn(wav, 0, announced) > 1 && secondsIn(wav, 1, announced) > 1, 'the announcement is in both')
  })

  await Promise.all([hold, mute, keys, tones, announcement, recording, assisted])
})

/** True if both channels share something other than the two tones for at least half a second. */
const alike = (left: Float32Array, right: Float32Array, perSecond: number): boolean => {
  const window = perSecond / 25
  let windows = 0
  for (let at = 0; at + window <= left.length; at += window) {
    const rest = [left, right].map((side, place) => {
      const part = side.subarray(at, at + window)
      return secondsOfSound(without(part, perSecond, place === 0 ? own : other), perSecond) > 0
    })
    if (rest.every(Boolean)) windows += 1
  }
  return windows / 25 > 0.5
}

/** Removes a tone with the shortest notch filter for its frequency. */
const without = (samples: Float32Array, perSecond: number, hz: number): Float32Array => {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / perSecond)
  return samples.map((sample, i) => (i < 2 ? 0 : sample - turn * (samples[i - 1] ?? 0) + (samples[i - 2] ?? 0)))
}
