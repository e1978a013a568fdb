import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { elevenLabsServer } from '#test/speech/providers/elevenlabs-server.ts'
import { openForTest, soundOf, type ProvidersForTest } from '#test/speech/providers/open-for-test.ts'
import { providerKey } from '#test/speech/providers/provider-server.ts'
import { hearTones, textOf } from '#test/speech/providers/tone-words.ts'

const open = async (t: TestContext, settings: Record<string, string> = {}): Promise<ProvidersForTest> =>
  openForTest(t, await elevenLabsServer(), ({ url }) => ({
    OFFHOOK_ELEVENLABS_URL: url,
    OFFHOOK_ELEVENLABS_KEY: providerKey,
    ...settings,
  }))

test('ElevenLabs: speaks with the default voice in the requested language', async (t) => {
  const { tts, server } = await open(t)
  const sound = await soundOf(tts('eleven_labs'), { text: 'book monday', language: 'de-DE', speed: 3 })
  assert.equal(textOf(hearTones(sound, 16_000)), 'book monday')
  assert.equal(server.requests[0]?.path, '/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/stream')
  assert.deepEqual(JSON.parse(server.requests[0]?.body.toString() ?? ''), {
    text: 'book monday',
    model_id: 'eleven_flash_v2_5',
    language_code: 'de',
    voice_settings: { speed: 1.2 },
  })
})

test('ElevenLabs: accepts voice names and ids, and falls back from unknown ones', async (t) => {
  const { tts, server } = await open(t)
  for (const voice of ['Rachel', '21m00Tcm4TlvDq8ikWAM', 'Somebody Else', 'AAAAAAAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAAAAAA'])
    await soundOf(tts('eleven_labs'), { text: 'yes', language: 'en', voice })
  const [rachel, sarah] = ['21m00Tcm4TlvDq8ikWAM', 'EXAVITQu4vr4xnSDxMaL']
  assert.deepEqual(
    server.requests.map(({ path }) => path.split('/')[3]),
    [rachel, rachel, sarah, 'AAAAAAAAAAAAAAAAAAAA', sarah, sarah],
  )
})

test('ElevenLabs: sends no language to older models', async (t) => {
  const { tts } = await open(t, { OFFHOOK_ELEVENLABS_MODEL: 'eleven_multilingual_v2' })
  const sound = await soundOf(tts('eleven_labs'), { text: 'no', language: 'de' })
  assert.equal(textOf(hearTones(sound, 16_000)), 'no')
})
