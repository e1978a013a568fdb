import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deepgramServer } from '#test/speech/providers/deepgram-server.ts'
import { openAiServer } from '#test/speech/providers/openai-server.ts'
import { joined, openForTest, speakOnTrack, type ProvidersForTest } from '#test/speech/providers/open-for-test.ts'
import { providerKey } from '#test/speech/providers/provider-server.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { Lexicon } from '#core/speech/voices/lexicon.ts'
import { Speaker } from '#core/speech/voices/speaker.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { Transcriber } from '#core/speech/voices/transcriber.ts'
import { chooseVoices } from '#core/speech/voices/voices.ts'
import { toneMessages, toneStt, toneTts } from '../tones/tone-speech.ts'

/** The provider, with the tones as embedded speech. */
const speechOf = ({ stt, tts }: ProvidersForTest): Speech => ({
  vad: { listen: () => assert.fail('not needed') },
  stt: (name) => (name === 'embedded' ? toneStt : stt(name)),
  tts: (name) => (name === 'embedded' ? toneTts : tts(name)),
  prepare: async () => {},
  close: () => Promise.resolve(),
})

const nobody = new AbortController().signal

test('replaces a recogniser that rejects the request within the same question, and reports it to the customer', async (t) => {
  const providers = openForTest(t, await deepgramServer(), ({ url }) => ({ OFFHOOK_DEEPGRAM_URL: url, OFFHOOK_DEEPGRAM_KEY: 'wrong' }))
  const problems: string[] = []
  const { track, from, to } = speakOnTrack('book monday')
  const transcriber = new Transcriber({ speech: speechOf(providers), clock: providers.clock }, track, {
    partial: () => {},
    problem: (message) => void problems.push(message),
    lost: assert.fail,
  })
  transcriber.listen(['deepgram'], { languages: ['en'], vocabulary: [] })
  const asked = transcriber.transcribe(from, to, nobody)
  const progress = { over: false }
  void asked.finally(() => (progress.over = true))
  while (!progress.over) await providers.clock.advance(100)
  assert.equal((await asked).text, 'book monday')
  assert.deepEqual(problems, ['stt: "deepgram" failed (Deepgram does not accept the key (401))'])
  transcriber.close()
})

test('replaces a voice that fails before or during its sound, and reports it to the customer', async (t) => {
  const providers = openForTest(t, await openAiServer(), ({ url }) => ({
    OFFHOOK_OPENAI_URL: `${url}/v1`,
    OFFHOOK_OPENAI_KEY: providerKey,
  }))
  const speech = speechOf(providers)
  const spoken = async (text: string): Promise<{ text: string[]; problems: string[] }> => {
    const problems: string[] = []
    const parts = { cache: new SpeechCache(), clock: providers.clock, lexicon: new Lexicon([]), occasion: { call: 'a' } }
    const choice = chooseVoices(speech, { provider: 'openai' }, undefined, 'en')
    const speaker = new Speaker(parts, choice, (message) => void problems.push(message))
    const pieces: Int16Array[] = []
    for await (const { samples, rate } of speaker.say(text, { language: 'en', speed: 1, pitch: 0, gainDb: 0 }, nobody)) {
      if (rate === 8000) pieces.push(samples)
    }
    return { text: toneMessages(joined(pieces)).map((message) => message.text), problems }
  }
  providers.server.fault = { status: 500 }
  assert.deepEqual(await spoken('Good morning.'), {
    text: ['Good morning.'],
    problems: ['tts: "openai" failed (OpenAI has a fault of its own (500, some_fault))'],
  })
  providers.server.fault = 'cut'
  assert.deepEqual(await spoken('Good evening.'), {
    text: ['Good evening.'],
    problems: ['tts: "openai" failed (OpenAI broke off in the middle)'],
  })
})
