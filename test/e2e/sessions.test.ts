import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { createCodec } from '#media/codec/create-codec.ts'
import { needs } from '#test/peers/debian.ts'
import { sippSucceeds } from '#test/peers/sipp.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { toneWav } from '#test/sound/wav.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { hearsInTones, isUnderstood } from '#test/phones/tone-speech.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const hz = 1_900

/** Base64 of a WAV file. */
const tone = (): string => toneWav({ hz, seconds: 20 }).toString('base64')

const newPhone = async (t: TestContext, exchange: Exchange): Promise<SipPhone> => {
  const { user, password } = await exchange.newDevice()
  return SipPhone.open(t, { server: exchange.sip, user, password })
}

const newFlow = async (exchange: Exchange, webhookUrl: string): Promise<string> => {
  const { id } = await exchange.admin.createFlow({}, { name: 'Assistant', webhookUrl, extended_events: true })
  return exchange.newNumber(id)
}

test('notifies an endpoint of a call, plays its audio, sends it keys and ends the call on its request', async (t) => {
  const answer = (event: AssistantEvent): unknown => {
    const { id: session_id } = event.session
    if (event.type === 'session_start') return { type: 'audio', session_id, audio: tone() }
    return event.type === 'dtmf_received'
      ? [
          { type: 'barge_in', session_id },
          { type: 'hangup', session_id },
        ]
      : undefined
  }
  const endpoint = await startAssistantEndpoint(t, answer)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const number = await newFlow(exchange, endpoint.url)
  const phone = await newPhone(t, exchange)
  const call = phone.call(number)
  await call.answered
  await phone.rtp.hears(hz)
  phone.rtp.press('7')
  await call.ended
  const [end] = await endpoint.received('session_end')
  assert.equal(end?.reason, 'assistant_hangup')
  assert.deepEqual(
    endpoint.events.map(({ body }) => body.type),
    ['session_start', 'dtmf_received', 'assistant_speak', 'assistant_speech_ended', 'session_end'],
  )
  const [spoken] = endpoint.ofType('assistant_speak')
  assert.ok((spoken?.duration_ms ?? 0) >= 60 && (spoken?.duration_ms ?? Infinity) < 20_000, `${spoken?.duration_ms} ms were heard`)
})

/** Telephone key tones (ITU-T Q.23): 100 ms each, after a second in which the call starts. */
const keyTones = (keys: readonly (readonly [number, number])[]): Int16Array => {
  const sound = new Int16Array(8 * (1000 + 300 * keys.length))
  keys.forEach((tones, place) => {
    for (let i = 0; i < 800; i++)
      sound[8 * (1000 + 300 * place) + i] = tones.reduce((sum, tone) => sum + 6000 * Math.sin((2 * Math.PI * tone * i) / 8000), 0)
  })
  return sound
}

test('detects in-band keys of a third-party phone without telephone-event', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const endpoint = await startAssistantEndpoint(t, () => undefined)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const number = await newFlow(exchange, endpoint.url)
  await exchange.newTrunk('127.0.0.2')
  const sound = keyTones([
    [770, 1209],
    [852, 1209],
    [941, 1477],
  ])
  const line = new Uint8Array(sound.length)
  createCodec('PCMA').encode(sound, line, 0)
  const keys = { from: '+498912345678' }
  const call = { target: exchange.sip, service: number, address: '127.0.0.2', keys, files: { 'keys.al': line }, more: ['-d', '4000'] }
  await sippSucceeds(t, { scenario: 'uac-in-band', ...call })
  await endpoint.received('session_end')
  const digits = endpoint.ofType('dtmf_received').map(({ digit }) => digit)
  assert.deepEqual(digits, ['4', '7', '#'])
})

const long = 'This is a very long speech that goes on and on, and nobody wants to hear it to its end. '.repeat(3)

test('sends words, plays answers, stops immediately on an interruption, and drops late answers', async (t) => {
  const late = Promise.withResolvers<void>()
  const answers: Record<string, string> = { 'who is there': 'it is me', 'tell me more': long }
  const answer = async (event: AssistantEvent): Promise<unknown> => {
    const speak = (text: string): unknown => ({ type: 'speak', session_id: event.session.id, text })
    if (event.type === 'session_start') return speak('hello')
    if (event.type !== 'user_speak') return undefined
    if (event.text === 'wait for it') await late.promise
    return speak(answers[event.text] ?? 'pardon')
  }
  const endpoint = await startAssistantEndpoint(t, answer)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address, OFFHOOK_SPEECH: 'tones' })
  const number = await newFlow(exchange, endpoint.url)
  const phone = await newPhone(t, exchange)
  const call = phone.call(number)
  await call.answered
  await hearsInTones(phone, 'hello')
  const first = await isUnderstood(phone, endpoint, 'who is there')
  await hearsInTones(phone, 'it is me')
  await isUnderstood(phone, endpoint, 'tell me more')
  await hearsInTones(phone, 'very long')
  const [interruption] = await isUnderstood(phone, endpoint, 'wait for it')
  await isUnderstood(phone, endpoint, 'who is there')
  late.resolve()
  await endpoint.received('action_discarded')
  await call.session.end()
  await endpoint.received('session_end')
  assert.deepEqual([first[0]?.barged_in, interruption?.barged_in], [false, true])
  assert.match(interruption?.heard_text ?? '', /^This is a very long/)
  const cut = endpoint.ofType('assistant_speak').find(({ text }) => text === long)
  assert.ok((cut?.duration_ms ?? 0) > 100 && (cut?.duration_ms ?? Infinity) < toneSound(long).length / 8)
  const sequences = endpoint.events.map(({ headers }) => Number(headers['x-offhook-sequence']))
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => index + 1),
  )
})

test("sends each session's end once after kill -9, and before a clean stop", async (t) => {
  const sessions = 20
  const endpoint = await startAssistantEndpoint(t)
  const data = await temporaryFolder(t)
  const settings = { OFFHOOK_EGRESS_ALLOW: endpoint.address, OFFHOOK_DATA: data, OFFHOOK_DRAIN_SECONDS: '0' }
  const exchange = await startExchange(t, settings)
  const number = await newFlow(exchange, endpoint.url)
  const phone = await newPhone(t, exchange)
  for (let nth = 0; nth < sessions; nth++) void phone.call(number)
  const started = await endpoint.received('session_start', sessions)
  exchange.program.child.kill('SIGKILL')
  await exchange.program.ended
  assert.deepEqual(endpoint.ofType('session_end'), [])
  const again = await startExchange(t, settings)
  const ended = await endpoint.received('session_end', sessions)
  assert.deepEqual(new Set(ended.map(({ session }) => session.id)), new Set(started.map(({ session }) => session.id)))
  assert.ok(ended.every(({ reason }) => reason === 'service_failure'))
  assert.equal(endpoint.ofType('session_end').length, sessions)
  void (await newPhone(t, again)).call(number)
  await endpoint.received('session_start', sessions + 1)
  again.program.child.kill('SIGTERM')
  await again.program.ended
  assert.equal(endpoint.ofType('session_end')[sessions]?.reason, 'service_shutdown')
})
