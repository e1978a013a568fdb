import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocketServer } from 'ws'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { readRecording, recordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import { Speaker } from '#test/speech/spoken-call.ts'
import { plainWords, wordErrors } from '#test/speech/word-errors.ts'

/** The recogniser is asked for interim words only while it has nothing else to do. */
const patienceMs = 60_000

/** A customer's WebSocket server that keeps what it is told and says nothing. */
const startReader = async (t: TestContext): Promise<{ address: string; events: AssistantEvent[] }> => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  t.after(() => server.close())
  const events: AssistantEvent[] = []
  server.on('connection', (socket) => {
    t.after(() => socket.terminate())
    socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as AssistantEvent))
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, events }
}

test('an endpoint that asks for it reads along while the caller speaks', async (t) => {
  if (!(await needs(t, 'baresip', recordedSpeech, recordedWords))) return
  const { address, events } = await startReader(t)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: address, OFFHOOK_SPEECH: 'embedded' })
  const { id } = await exchange.admin.createFlow(
    {},
    { name: 'Reader', language: 'en-US', websocketUrl: `ws://${address}/`, extended_events: ['user_speak_partial'] },
  )
  const caller = await Speaker.open(t, exchange)
  await caller.phone.dial(`sip:${await exchange.newNumber(id)}@${exchange.sip}`)
  await caller.phone.event('CALL_ESTABLISHED')
  await until('the session has begun', () => events.find(({ type }) => type === 'session_start'), patienceMs)
  // A quarter of a minute: on a busy machine the first of them may pass without interim words.
  await caller.says((await readRecording('demo-abouttotry')).samples)
  const partial = await until('interim words', () => events.find((event) => event.type === 'user_speak_partial'), patienceMs)
  const turn = await until('its turn', () => events.slice(events.indexOf(partial)).find((event) => event.type === 'user_speak'), patienceMs)
  const beginning = plainWords(turn.text, 'en').slice(0, plainWords(partial.text, 'en').length).join(' ')
  const { errors, words } = wordErrors(beginning, partial.text, 'en')
  assert.ok(errors <= words / 2, `“${partial.text}” was told before “${turn.text}”`)
  assert.ok(partial.stable_chars <= partial.text.length)
  await caller.phone.hangUp()
  await until('the session has ended', () => events.find(({ type }) => type === 'session_end'), patienceMs)
})
