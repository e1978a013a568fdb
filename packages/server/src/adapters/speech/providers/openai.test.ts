import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openAiServer, type OpenAiServerOptions } from '#test/speech/providers/openai-server.ts'
import { openForTest, soundOf, speakOnTrack, type ProvidersForTest } from '#test/speech/providers/open-for-test.ts'
import { providerKey } from '#test/speech/providers/provider-server.ts'
import { hearTones, sayInTones, textOf } from '#test/speech/providers/tone-words.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { readSettings } from '#settings/config.ts'
import { openProviders } from './open-providers.ts'

const nobody = new AbortController().signal

const open = async (t: TestContext, server: OpenAiServerOptions = {}, settings: Record<string, string> = {}): Promise<ProvidersForTest> =>
  openForTest(t, await openAiServer(server), ({ url }) => ({
    OFFHOOK_OPENAI_URL: `${url}/v1/`,
    OFFHOOK_OPENAI_KEY: providerKey,
    ...settings,
  }))

test('OpenAI: returns sound at 16 kHz with its original duration', async (t) => {
  const { tts } = await open(t)
  const sound = await soundOf(tts('openai'), { text: 'Hello, tomorrow.', language: 'en' })
  assert.equal(tts('openai').rate, 16_000)
  assert.equal(sound.length, sayInTones('Hello, tomorrow.', 16_000).length)
  assert.equal(textOf(hearTones(sound, 16_000)), 'Hello, tomorrow.')
})

test('OpenAI: reads the sample rate from a WAV file', async (t) => {
  const { tts } = await open(t, { rate: 22_050 }, { OFFHOOK_OPENAI_TTS_FORMAT: 'wav' })
  const sound = await soundOf(tts('openai'), { text: 'yes no', language: 'en' })
  assert.equal(sound.length, sayInTones('yes no', 16_000).length)
  assert.equal(textOf(hearTones(sound, 16_000)), 'yes no')
})

test('OpenAI: transcribes speech with language, prompt and model', async (t) => {
  const { stt, server } = await open(t)
  const { track, from, to } = speakOnTrack('book monday')
  const stream = stt('openai').open(track, { languages: ['de-DE'], vocabulary: ['Musterfirma', 'Offhook'] }, { failed: assert.fail })
  assert.deepEqual(await stream.transcribe(from, to, nobody), { text: 'book monday' })
  const sent = server.requests[0]?.body.toString('latin1') ?? ''
  assert.match(sent, /name="language"\r\n\r\nde\r\n/)
  assert.match(sent, /name="prompt"\r\n\r\nMusterfirma, Offhook\r\n/)
  assert.match(sent, /name="model"\r\n\r\ngpt-4o-mini-transcribe\r\n/)
  stream.close()
})

test('OpenAI: sends no key to a server that needs none', async (t) => {
  const { tts, stt, server } = await open(t, { key: '' }, { OFFHOOK_OPENAI_KEY: '' })
  await soundOf(tts('openai'), { text: 'yes', language: 'de', voice: 'af_heart', speed: 9 })
  const { track, from, to } = speakOnTrack('no')
  const stream = stt('openai').open(track, { languages: ['de', 'en'], vocabulary: [] }, { failed: assert.fail })
  assert.equal((await stream.transcribe(from, to, nobody)).text, 'no')
  assert.deepEqual(JSON.parse(server.requests[0]?.body.toString() ?? ''), {
    model: 'gpt-4o-mini-tts',
    input: 'yes',
    voice: 'af_heart',
    response_format: 'pcm',
    speed: 4,
  })
  assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined))
  assert.doesNotMatch(server.requests[1]?.body.toString('latin1') ?? '', /name="(language|prompt)"/)
})

test('OpenAI: replaces an unknown voice by the default and does not request it again', async (t) => {
  const { tts, server } = await open(t)
  const asked = (): unknown[] => server.requests.map(({ body }) => (JSON.parse(body.toString()) as { voice: string }).voice)
  for (const text of ['yes', 'no']) {
    const sound = await soundOf(tts('openai'), { text, language: 'en', voice: 'Rachel' })
    assert.equal(textOf(hearTones(sound, 16_000)), text)
  }
  assert.deepEqual(asked(), ['Rachel', 'alloy', 'alloy'])
})

test('OpenAI: does not treat other request errors as an unknown voice', async (t) => {
  const { tts, server } = await open(t, {}, { OFFHOOK_OPENAI_TTS_MODEL: 'tts-0' })
  await assert.rejects(soundOf(tts('openai'), { text: 'yes', language: 'en', voice: 'nova' }), /404, model_not_found/)
  await assert.rejects(soundOf(tts('openai'), { text: 'yes', language: 'en', voice: 'nova' }), /404, model_not_found/)
  assert.equal(server.requests.length, 4)
  await assert.rejects(soundOf(tts('openai'), { text: 'x'.repeat(4097), language: 'en' }), /4096/)
  assert.equal(server.requests.length, 4)
})

test('OpenAI: uses a separate server for speech synthesis', async (t) => {
  const other = await openAiServer()
  t.after(() => other.close())
  const { tts, server } = await open(t, {}, { OFFHOOK_OPENAI_TTS_URL: `${other.url}/v1` })
  await soundOf(tts('openai'), { text: 'yes', language: 'en' })
  assert.deepEqual([server.requests.length, other.requests.length], [0, 1])
})

test('leaves out providers without a key or an address', async (t) => {
  const settings = {
    none: {},
    halfAzure: { OFFHOOK_AZURE_KEY: 'k' },
    all: {
      OFFHOOK_OPENAI_KEY: 'k',
      OFFHOOK_DEEPGRAM_KEY: 'k',
      OFFHOOK_ELEVENLABS_KEY: 'k',
      OFFHOOK_AZURE_KEY: 'k',
      OFFHOOK_AZURE_REGION: 'westeurope',
    },
  }
  const names = Object.entries(settings).map(([name, environment]) => {
    const providers = openProviders(readSettings(environment), new VirtualClock())
    t.after(() => providers.close())
    return [name, Object.keys(providers.stts), Object.keys(providers.ttss)]
  })
  assert.deepEqual(names, [
    ['none', [], []],
    ['halfAzure', [], []],
    ['all', ['openai', 'deepgram', 'eleven_labs', 'azure'], ['openai', 'eleven_labs', 'azure']],
  ])
})
