import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApiError } from '@offhook/sdk'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { writeSamples } from '#test/sound/wav.ts'
import { readPrompt, recordedSpeech } from '#test/speech/recorded-speech.ts'

/** Recognisers and voices share the machine with everything else. */
const timeoutMs = 120_000
const greeting = 'Good morning, this is the practice of Doctor Miller, and I am calling about your appointment on Friday.'

/** Seconds from the answer to the callee's hello, and how machines are looked for. */
const calls = [
  [0.3, 'event'],
  [0.9, undefined],
  [1.5, 'field'],
  [2.5, 'event'],
] as const

/** The recording ends only after the greeting. */
const callSeconds = 60
const events = ['assistant_speech_ended', 'user_backchannel'] as const

test('greets a callee to the end who answers with a recorded hello', async (t) => {
  if (!(await needs(t, 'baresip', recordedSpeech))) return
  const folder = await temporaryFolder(t)
  const hello = await readPrompt('hello')
  const endpoint = await startAssistantEndpoint(t, ({ type, session }) =>
    type === 'session_start' ? { type: 'speak', session_id: session.id, text: greeting } : undefined,
  )
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address, OFFHOOK_SPEECH: 'embedded' })
  const { accountId } = exchange
  await exchange.operator.reviewAccountOutbound({ accountId }, { enabled: true, reviewer: 'Rita', reason: 'test' })
  let count = 0
  for (const [at, mode] of calls) {
    const says = join(folder, `${at}.wav`)
    const sound = new Int16Array(callSeconds * 8_000)
    sound.set(hello, at * 8_000)
    await writeSamples(says, sound, 8_000)
    const phone = await exchange.newPhone(t, { says })
    const line = await exchange.newLine(phone.deviceId)
    const flow = { name: 'Practice', webhookUrl: endpoint.url, language: 'en-US', extended_events: [...events] }
    const machines = mode && { answering_machine_detection: mode }
    const { id: aiFlowId } = await exchange.admin.createFlow({}, { ...flow, ...machines })
    const number = await exchange.newNumber(aiFlowId)
    await exchange.admin.changeFlow({ aiFlowId }, { ...flow, ...machines, phone_number: number.slice(1) })
    await until('the call is accepted', async () => {
      try {
        return await exchange.admin.callFlow({ aiFlowId }, { billingDevice: phone.deviceId, toPhoneNumber: line.number.slice(1) })
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) return undefined
        throw error
      }
    })
    await phone.event('CALL_INCOMING')
    await phone.accept()
    const ended = await endpoint.received('assistant_speech_ended', ++count, timeoutMs)
    assert.equal(ended.at(-1)?.completed, true, `${at} s`)
    await phone.hangUp()
    await endpoint.received('session_end', count)
  }
  assert.deepEqual(endpoint.ofType('user_speak'), [])
  // With `field` the session may begin after the hello.
  assert.ok(endpoint.ofType('user_backchannel').length >= calls.filter(([, mode]) => mode !== 'field').length, 'each hello was understood')
})
