import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { azureServer } from '#test/speech/providers/azure-server.ts'
import { openForTest, soundOf, speakOnTrack, type ProvidersForTest } from '#test/speech/providers/open-for-test.ts'
import { providerKey } from '#test/speech/providers/provider-server.ts'
import { hearTones, textOf } from '#test/speech/providers/tone-words.ts'
import type { Utterance } from '#core/kernel/ports/speech.ts'
import { azureSsml } from './azure.ts'

const nobody = new AbortController().signal

const open = async (t: TestContext, settings: Record<string, string> = {}): Promise<ProvidersForTest> =>
  openForTest(t, await azureServer(), ({ url }) => ({ OFFHOOK_AZURE_URL: url, OFFHOOK_AZURE_KEY: providerKey, ...settings }))

const heard = async ({ tts }: ProvidersForTest, utterance: Utterance): Promise<string> =>
  textOf(hearTones(await soundOf(tts('azure'), utterance), 16_000))

test('Azure: speaks plain text with any characters in the voice of its language', async (t) => {
  const providers = await open(t)
  assert.equal(await heard(providers, { text: 'yes <no> & "stop"\u0000\ud800', language: 'de' }), 'yes <no> & "stop"\ufffd')
  const [request] = providers.server.requests
  assert.equal(
    request?.body.toString(),
    '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="de-DE"><voice name="de-DE-KatjaNeural">' +
      'yes &lt;no&gt; &amp; &quot;stop&quot;\ufffd</voice></speak>',
  )
})

test('Azure: adds missing SSML attributes and keeps existing ones', async (t) => {
  const providers = await open(t)
  const language = 'en-US'
  const documents = {
    'hello bye': '<speak>hello <break time="300ms"/> bye</speak>',
    'one two three': '<speak>one <voice name="en-US-GuyNeural">two</voice> <prosody rate="slow">three</prosody></speak>',
    yes: `<?xml version="1.0"?>\n<speak version="1.0" xmlns='http://www.w3.org/2001/10/synthesis' xml:lang="de-DE"><voice name="de-DE-KatjaNeural">yes</voice></speak>`,
    'no stop': '<speak a:b=">" xmlns:a="urn:a"><!-- <voice> --><p>no</p><![CDATA[ stop ]]></speak>',
  }
  for (const [text, document] of Object.entries(documents))
    assert.equal(await heard(providers, { text: document, language }), text, document)
  assert.ok(providers.tts('azure').ssml)
  await assert.rejects(heard(providers, { text: '<speak>never closed', language }), { name: 'SpeechUnavailable' })
})

test('Azure: gives words in IPA as phonemes', () => {
  const utterance = { text: 'Ask Nguyễn & <NGUYỄN>.', language: 'en-US', ipa: [{ word: 'Nguyễn', ipa: 'wɪ"n' }] }
  const word = (written: string): string => `<phoneme alphabet="ipa" ph="wɪ&quot;n">${written}</phoneme>`
  assert.ok(azureSsml(utterance, 'Guy')?.includes(`>Ask ${word('Nguyễn')} &amp; &lt;${word('NGUYỄN')}&gt;.</voice>`))
})

test('Azure: converts speed and pitch to prosody', () => {
  const utterance = { text: 'x', language: 'en-GB', speed: 1.25, pitch: -2 }
  assert.match(azureSsml(utterance, 'v"v') ?? '', /<voice name="v&quot;v"><prosody rate="\+25%" pitch="-2st">x<\/prosody><\/voice>/)
})

test('Azure: chooses a voice by language or name, and falls back from an unknown name', async (t) => {
  const providers = await open(t, { OFFHOOK_AZURE_VOICES: 'de-DE-KatjaNeural, en-US-JennyNeural' })
  const voiceOf = async (utterance: Utterance): Promise<string | undefined> => {
    await soundOf(providers.tts('azure'), utterance)
    return /voice name="([^"]*)"/.exec(providers.server.requests.at(-1)?.body.toString() ?? '')?.[1]
  }
  assert.equal(await voiceOf({ text: 'yes', language: 'en-GB' }), 'en-US-JennyNeural')
  assert.equal(await voiceOf({ text: 'yes', language: 'en', voice: 'en-US-GuyNeural' }), 'en-US-GuyNeural')
  assert.equal(await voiceOf({ text: 'yes', language: 'de-AT', voice: 'de-DE-NobodyNeural' }), 'de-DE-KatjaNeural')
  assert.equal(await voiceOf({ text: 'yes', language: 'de-AT', voice: 'Rachel' }), 'de-DE-KatjaNeural')
  assert.deepEqual([providers.tts('azure').speaks('de'), providers.tts('azure').speaks('sw')], [true, false])
  await assert.rejects(soundOf(providers.tts('azure'), { text: 'yes', language: 'sw' }), /sw-SW.*OFFHOOK_AZURE_VOICES/)
})

test('Azure: returns text with its confidence, and empty text for silence', async (t) => {
  const { stt, server } = await open(t)
  const { track, from, to } = speakOnTrack('cancel today')
  const stream = stt('azure').open(track, { languages: ['en'], vocabulary: [] }, { failed: assert.fail })
  assert.deepEqual(await stream.transcribe(from, to, nobody), { text: 'cancel today', language: 'en-US', confidence: 0.93 })
  assert.deepEqual(await stream.transcribe(0, from, nobody), { text: '', language: 'en-US' })
  assert.equal(server.requests[0]?.query.get('profanity'), 'raw')
  stream.close()
  await assert.rejects(stream.transcribe(from, to, nobody), /Closed/)
})
