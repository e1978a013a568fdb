import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { sine } from '#media/sound/tone.ts'
import { wavFile } from '#media/sound/wav.ts'
import { until } from '#test/machine/peer-process.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { longestSilence, loud, secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'

const [callerTone, calleeTone, assistantTone] = [1100, 600, 700]
/** Frequency of the service's beep. */
const beepTone = 1000
const card = '4929'

const openPhone = async (t: TestContext, exchange: Exchange) => {
  const { user, password, deviceId } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  return { phone, deviceId }
}

/** Waits for this much more received sound; the service sends and records in the same pace. */
const stretch = ({ rtp }: SipPhone, ms = 1_000): Promise<void> => {
  const from = rtp.heardMs
  return rtp.until(() => rtp.heardMs >= from + ms, 'no sound')
}

const pausedIs = (exchange: Exchange, expected: boolean): Promise<unknown> =>
  until(`recordingPaused ${expected}`, async () => {
    const [call] = (await exchange.admin.listCalls()).data
    return (call?.recordingPaused ?? false) === expected || undefined
  })

/** Longest silence between the first and the last sound, and the seconds of the tone before and after it. */
const aroundSilence = (samples: Float32Array, rate: number, hz: number): { before: number; silence: number; after: number } => {
  const first = samples.findIndex((sample) => sample !== 0)
  const sounding = samples.subarray(first, samples.findLastIndex((sample) => sample !== 0) + 1)
  const { from, to, length } = longestSilence(sounding)
  return {
    before: secondsOf(sounding.subarray(0, from), rate, hz, loud / 2),
    silence: length / rate,
    after: secondsOf(sounding.subarray(to), rate, hz, loud / 2),
  }
}

/** Each tone is on one channel before and after the pause, and silence is between them. */
const assertPaused = (
  { channels, rate }: Pick<Awaited<ReturnType<typeof readWav>>, 'channels' | 'rate'>,
  tones: readonly number[],
): void => {
  for (const hz of tones) {
    const sides = channels.map((samples) => aroundSilence(samples, rate, hz))
    assert.ok(
      sides.some(({ before, silence, after }) => before > 0.5 && silence > 0.9 && after > 0.5),
      `${hz} Hz: ${JSON.stringify(sides)}`,
    )
  }
}

const recordingOf = async (exchange: Exchange) => {
  const found = await until('the recording', async () => {
    const { items } = await exchange.admin.listOwnHistory()
    return items.find(({ recordings = [] }) => recordings.length > 0)
  })
  const { channels, rate } = await readWav(join(exchange.data, 'recordings', exchange.accountId, `${found.recordings?.[0]?.id}.wav`))
  const { items } = await exchange.admin.getTimeline({ callId: found.callId ?? '', limit: 1000 })
  const states = items.flatMap((entry) => (entry.kind === 'call' ? [entry.state] : [])).filter((state) => state.startsWith('recording'))
  return { channels, rate, items, states }
}

test('records silence and hides the digits while an assistant collects a card', async (t) => {
  const audio = Buffer.from(wavFile(sine([assistantTone], 30_000, 8000, -6), 8000)).toString('base64')
  const reply = (event: AssistantEvent): unknown => {
    const { session } = event
    const of = { session_id: session.id }
    if (event.type === 'session_start') return { type: 'audio', ...of, audio, barge_in: { strategy: 'none' } }
    if (event.type !== 'dtmf_received') return undefined
    if (event.digit === '1') return { type: 'recording', ...of, paused: true }
    return event.digit === '#' ? { type: 'recording', ...of, paused: false } : undefined
  }
  const endpoint = await startAssistantEndpoint(t, reply)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address, OFFHOOK_SPEECH: 'tones' })
  const input = { name: 'Card', language: 'en-GB', webhookUrl: endpoint.url, recording: true }
  const flow = await exchange.admin.createFlow({}, { ...input, extended_events: ['dtmf_received'] })
  const number = await exchange.newNumber(flow.id)
  const { phone } = await openPhone(t, exchange)
  const call = phone.call(number)
  await call.answered
  phone.rtp.say(callerTone)
  await phone.rtp.hears(assistantTone)
  await stretch(phone)
  phone.rtp.press('1')
  await pausedIs(exchange, true)
  phone.rtp.press(card)
  await endpoint.received('dtmf_received', 1 + card.length)
  await stretch(phone)
  phone.rtp.press('#')
  await pausedIs(exchange, false)
  await stretch(phone)
  await call.session.end()

  const { items, states, ...recorded } = await recordingOf(exchange)
  assertPaused(recorded, [callerTone, assistantTone])
  assert.deepEqual(states, ['recording', 'recording_paused', 'recording_resumed'])
  assert.equal(
    endpoint
      .ofType('dtmf_received')
      .map(({ digit }) => digit)
      .join(''),
    `1${card}#`,
  )
  const keys = items.flatMap((entry) => (entry.kind === 'key' ? [entry.digit] : []))
  assert.equal(keys.join(''), `1${'•'.repeat(card.length + 1)}`)
  for (const digit of card) assert.doesNotMatch(JSON.stringify(items), new RegExp(String.raw`digit\W{1,5}${digit}`))
})

test('records silence while *0 or the API pauses the recording', async (t) => {
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'tones' })
  const callee = await openPhone(t, exchange)
  await callee.phone.register()
  const { number } = await exchange.newLine(callee.deviceId)
  const { phone } = await openPhone(t, exchange)
  const call = phone.call(number)
  await callee.phone.accept(await callee.phone.incoming())
  await call.answered
  phone.rtp.say(callerTone)
  callee.phone.rtp.say(calleeTone)
  await Promise.all([phone.rtp.hears(calleeTone), callee.phone.rtp.hears(callerTone)])
  const { callId = '' } = (await exchange.admin.listCalls()).data[0] ?? {}
  await assert.rejects(exchange.admin.pauseRecording({ callId }, { value: true }), { status: 409 })
  await exchange.admin.recordCall({ callId }, { value: true })
  await stretch(phone)
  const beeps = phone.rtp.hears(beepTone)
  phone.rtp.press('*0')
  await Promise.all([beeps, pausedIs(exchange, true)])
  await stretch(phone)
  await exchange.admin.pauseRecording({ callId }, { value: false })
  await pausedIs(exchange, false)
  await stretch(phone)
  await call.session.end()

  const { states, ...recorded } = await recordingOf(exchange)
  assertPaused(recorded, [callerTone, calleeTone])
  assert.deepEqual(states, ['recording', 'recording_paused', 'recording_resumed'])
})
