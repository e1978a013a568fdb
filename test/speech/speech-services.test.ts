import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { modelsFolder } from '#adapters/speech/models/model-list.ts'
import { wavFile } from '#media/sound/wav.ts'
import { offhook, ready, said, type Program } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { needs } from '#test/peers/debian.ts'
import { startNats } from '#test/peers/nats-server.ts'
import { startExchange } from '#test/service/exchange.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { readRecordedSpeech, recordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import { CallsOf, Speaker } from '#test/speech/spoken-call.ts'
import { wordErrors } from '#adapters/speech/callers/word-errors.ts'

const { skip } = await embeddedModels('vad', 'stt-en', 'tts-en')

const isUnderstood = (said: string, heard: string): void => {
  const { errors, words } = wordErrors(said, heard, 'en')
  assert.ok(errors <= words * 0.25, `“${heard}” instead of “${said}”`)
}

const samplesOf = (sound: Float32Array): Int16Array => Int16Array.from(sound, (value) => Math.round(value * 32_767))

interface Service {
  program: Program
  url: string
}

const key = 'sk-speech-0123456789'

/** The test is a third-party client of the service. */
const transcribe = async (url: string, samples: Int16Array): Promise<string> => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(wavFile(samples, 8000))]), 'call.wav')
  form.set('model', 'whisper-1')
  form.set('language', 'en')
  const response = await fetch(`${url}/audio/transcriptions`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form })
  return ((await response.json()) as { text: string }).text
}

test('hears and speaks with speech services, and loses no turn when one is killed', { skip }, async (t) => {
  if (!(await needs(t, 'baresip', 'nats-server', recordedSpeech, recordedWords))) return
  const nats = await startNats(t)
  const shared = { OFFHOOK_BUS: nats.url, OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64') }
  const small = { OFFHOOK_ENGLISH: 'tiny', OFFHOOK_WHISPER: 'base', OFFHOOK_SPEECH_WORKERS: '1' }
  const startService = async (): Promise<Service> => {
    const data = await temporaryFolder(t)
    const settings = {
      ...shared,
      ...small,
      OFFHOOK_DATA: data,
      OFFHOOK_SPEECH: 'embedded',
      OFFHOOK_SPEECH_LISTEN: '127.0.0.1:0',
      OFFHOOK_SPEECH_KEY: key,
    }
    const program = offhook(t, ['speech'], settings)
    return { program, url: (await ready<{ url: string }>(program)).url }
  }
  // The call process has nothing but the detector of speech.
  const models = await temporaryFolder(t)
  await cp(join(modelsFolder(process.env['OFFHOOK_MODELS']) ?? '', 'vad'), join(models, 'vad'), { recursive: true })
  const answer = 'Thank you for calling. Please hold the line.'
  const endpoint = await startAssistantEndpoint(t, ({ type, session: { id: session_id } }) =>
    type === 'user_speak' ? { type: 'speak', session_id, text: answer } : undefined,
  )
  const calling = { OFFHOOK_EGRESS_ALLOW: endpoint.address, OFFHOOK_SPEECH: 'service', OFFHOOK_MODELS: models, OFFHOOK_LOG: 'info' }
  const [exchange, first] = await Promise.all([startExchange(t, { ...shared, ...calling }), startService()])
  await said(exchange.program, 'stderr', /speech_servers_changed.*"servers":1/)
  const hear = (sound: Float32Array): Promise<string> => transcribe(first.url, samplesOf(sound))
  const [one, two] = (await readRecordedSpeech()).slice(2)
  assert.ok(one && two)
  isUnderstood(one.text, await transcribe(first.url, one.samples)) // the call is not its first request

  const flow = { name: 'Assistant', webhookUrl: endpoint.url, language: 'en-US', fillers: { off: true } }
  const { id } = await exchange.admin.createFlow({}, flow)
  const calls = new CallsOf(endpoint, await exchange.newNumber(id))
  const caller = await Speaker.open(t, exchange)
  await caller.phone.dial(`sip:${calls.number}@${exchange.sip}`)
  await caller.phone.event('CALL_ESTABLISHED')
  await calls.onEvent('session_start')
  await caller.says(one.samples)
  isUnderstood(one.text, (await calls.onEvent('user_speak')).text)
  await calls.spoken(answer)
  isUnderstood(answer, await caller.understood(hear, 'en-US'))

  const second = await startService()
  await said(exchange.program, 'stderr', /speech_servers_changed.*"servers":2/)
  isUnderstood(two.text, await transcribe(second.url, two.samples))
  await caller.says(two.samples)
  first.program.child.kill('SIGKILL')
  isUnderstood(two.text, (await calls.onEvent('user_speak', 2)).text)
  await caller.phone.hangUp()
  assert.equal((await calls.onEvent('session_end')).reason, 'caller_hangup')
  assert.doesNotMatch(exchange.program.written.stderr, /speech_service_away|recogniser_not_loaded|speech_model_loaded/)
})
