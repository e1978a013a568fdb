import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { startAssistantSocket } from '#test/peers/assistant-socket.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { readRecording, recordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import { Speaker } from '#test/speech/spoken-call.ts'
import { plainWords, wordErrors } from '#adapters/speech/callers/word-errors.ts'

/** The recogniser produces partials only while it is idle. */
const timeoutMs = 60_000

test('sends partials to an endpoint that subscribes, while the caller speaks', async (t) => {
  if (!(await needs(t, 'baresip', recordedSpeech, recordedWords))) return
  const { url: websocketUrl, address, events } = await startAssistantSocket(t)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: address, OFFHOOK_SPEECH: 'embedded' })
  const { id } = await exchange.admin.createFlow(
    {},
    { name: 'Reader', language: 'en-US', websocketUrl, extended_events: ['user_speak_partial'] },
  )
  const caller = await Speaker.open(t, exchange)
  await caller.phone.dial(`sip:${await exchange.newNumber(id)}@${exchange.sip}`)
  await caller.phone.event('CALL_ESTABLISHED')
  await until('the session has begun', () => events.find(({ type }) => type === 'session_start'), timeoutMs)
  // A quarter of a minute: on a busy machine its start may pass without partials.
  await caller.says((await readRecording('demo-abouttotry')).samples)
  const partial = await until('interim words', () => events.find((event) => event.type === 'user_speak_partial'), timeoutMs)
  const turn = await until('its turn', () => events.slice(events.indexOf(partial)).find((event) => event.type === 'user_speak'), timeoutMs)
  const beginning = plainWords(turn.text, 'en').slice(0, plainWords(partial.text, 'en').length).join(' ')
  const { errors, words } = wordErrors(beginning, partial.text, 'en')
  assert.ok(errors <= words / 2, `“${partial.text}” was told before “${turn.text}”`)
  assert.ok(partial.stable_chars <= partial.text.length)
  await caller.phone.hangUp()
  await until('the session has ended', () => events.find(({ type }) => type === 'session_end'), timeoutMs)
})
