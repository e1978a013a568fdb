import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import type { Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { hearsWords, wordsHeard } from '#test/sound/heard-words.ts'
import { secondsOf, secondsOfSound } from '#test/sound/tones.ts'
import { writeSamples } from '#test/sound/wav.ts'

const rate = 8000
const [callersTone, targetsTone, ringing] = [600, 1900, 425]
const briefing = 'Miller bill'

/** Sound of a phone: silence for a while, then a tone, or words in tones. */
const afterSilence = async (t: TestContext, seconds: number, then: number | string): Promise<string> => {
  const file = join(await temporaryFolder(t), 'says.wav')
  const tone = (hz: number): Int16Array =>
    Int16Array.from({ length: 60 * rate }, (_, i) => 16_000 * Math.sin((2 * Math.PI * hz * i) / rate))
  const sound = typeof then === 'number' ? tone(then) : toneSound(then)
  const samples = new Int16Array((seconds + 60) * rate)
  samples.set(sound.subarray(0, 60 * rate), seconds * rate)
  await writeSamples(file, samples, rate)
  return file
}

const heard = async (phone: Phone): Promise<Float32Array> => (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()

/** Expects half a second of sound that is neither ringing nor the tone of a phone. */
const hearsMusic = async (phone: Phone): Promise<void> => {
  const before = (await heard(phone)).length
  const fresh = await until('sound', async () => {
    const samples = (await heard(phone)).subarray(before)
    return samples.length >= rate ? samples : undefined
  })
  assert.ok(secondsOfSound(fresh, rate) > 0.5, 'it is silent')
  for (const hz of [callersTone, targetsTone]) assert.equal(secondsOf(fresh, rate, hz, 0.2), 0)
  assert.ok(secondsOf(fresh, rate, ringing, 0.05) < 0.2, 'it rings')
}

interface Scene {
  exchange: Exchange
  endpoint: AssistantEndpoint
  caller: Phone
  target: Phone
}

/** Connects the caller with an assistant that offers the call to the target, which rings. */
const offered = async (t: TestContext, says: { caller: string; target: string }): Promise<Scene> => {
  let to = ''
  const reply = ({ type, session: { id: session_id } }: AssistantEvent): unknown => {
    if (type === 'transfer_failed') return { type: 'speak', session_id, text: 'nobody wants you' }
    if (type !== 'session_start') return undefined
    return [
      { type: 'speak', session_id, text: 'one moment' },
      { type: 'transfer', session_id, target: to, mode: 'warm', briefing },
    ]
  }
  const endpoint = await startAssistantEndpoint(t, reply)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address, OFFHOOK_SPEECH: 'tones' })
  const target = await exchange.newPhone(t, { says: says.target })
  const caller = await exchange.newPhone(t, { says: says.caller })
  to = (await exchange.newLine(target.deviceId)).number
  const input = { name: 'Reception', language: 'en-US', webhookUrl: endpoint.url, extended_events: true, transfer_targets: ['+49*'] }
  const { id } = await exchange.admin.createFlow({}, input)
  await caller.dial(`sip:${await exchange.newNumber(id)}@${exchange.sip}`)
  await caller.event('CALL_ESTABLISHED')
  await target.event('CALL_INCOMING')
  return { exchange, endpoint, caller, target }
}

test('warm transfer: plays music to the caller and the briefing to the target, and connects them after key 1', async (t) => {
  await needs(t, 'baresip')
  const says = { caller: await afterSilence(t, 10, callersTone), target: await afterSilence(t, 9, targetsTone) }
  const { endpoint, caller, target } = await offered(t, says)
  await hearsMusic(caller)
  await target.accept()
  await hearsWords(target, briefing)
  await hearsWords(target, 'press one')
  await hearsMusic(caller)
  await target.press('1')
  const [end] = await endpoint.received('session_end')
  assert.equal(end?.reason, 'transferred')
  await Promise.all([caller.hears(targetsTone, 1), target.hears(callersTone, 1)])
  const words = await wordsHeard(caller)
  assert.ok(words.startsWith('one moment') && !words.includes('Miller'), 'the briefing is not for the caller')
  await target.hangUp()
  await caller.event('CALL_CLOSED')
})

test('warm transfer: returns the caller to the assistant when the target declines', async (t) => {
  await needs(t, 'baresip')
  const says = { caller: await afterSilence(t, 1, ''), target: await afterSilence(t, 9, 'no') }
  const { endpoint, caller, target } = await offered(t, says)
  await target.accept()
  await hearsWords(target, 'Do you take the call?')
  await target.event('CALL_CLOSED')
  const [failed] = await endpoint.received('transfer_failed')
  assert.equal(failed?.cause, 'declined')
  await hearsWords(caller, 'nobody wants you')
  await caller.hangUp()
  const [end] = await endpoint.received('session_end')
  assert.equal(end?.reason, 'caller_hangup')
})

test('warm transfer: hangs up the target when the caller hangs up during the briefing', async (t) => {
  await needs(t, 'baresip')
  const says = { caller: await afterSilence(t, 1, ''), target: await afterSilence(t, 1, '') }
  const { exchange, endpoint, caller, target } = await offered(t, says)
  await target.accept()
  await hearsWords(target, briefing)
  await caller.hangUp()
  await target.event('CALL_CLOSED')
  const [end] = await endpoint.received('session_end')
  assert.equal(end?.reason, 'caller_hangup')
  assert.deepEqual((await exchange.admin.listCalls()).data, [])
})
