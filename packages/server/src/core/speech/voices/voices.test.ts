import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Speech, SpeechProvider, Tts } from '#core/kernel/ports/speech.ts'
import { chooseVoices } from './voices.ts'

const voiceOf = (name: string, languages: string): Tts => ({
  name,
  rate: 8000,
  ssml: false,
  speaks: (language) => languages.includes(language.slice(0, 2)),
  synthesize: () => assert.fail('nobody asked'),
})

const speechWith = (voices: Partial<Record<SpeechProvider, string>>): Speech => ({
  vad: { listen: () => assert.fail('nobody asked') },
  stt: () => undefined,
  tts: (provider) => (voices[provider] === undefined ? undefined : voiceOf(provider, voices[provider])),
  prepare: async () => {},
  close: () => Promise.resolve(),
})

const all = speechWith({ embedded: 'en de', azure: 'en de fr', eleven_labs: 'en de fr' })

type Input = Parameters<typeof chooseVoices>[1]

const chosen = (action: Input, flow: Input, speech = all): string[] =>
  chooseVoices(speech, action, flow, 'en').voices.map(({ provider, voice, language }) => [provider, voice, language].join(' ').trim())

test("prefers the action's voice, then the flow's, then the embedded one", () => {
  assert.deepEqual(chosen(undefined, undefined), ['embedded  en'])
  assert.deepEqual(chosen(undefined, { provider: 'azure', voice: 'Jenny', language: 'en-US' }), ['azure Jenny en-US', 'embedded  en-US'])
  assert.deepEqual(chosen({ provider: 'ELEVEN-LABS', voice: { id: 'x1', name: 'Rachel' } }, { provider: 'azure', voice: 'Jenny' }), [
    'eleven_labs x1 en',
    'azure Jenny en',
    'embedded  en',
  ])
  assert.deepEqual(chosen({ voice: { name: 'Rachel' } }, { provider: 'elevenlabs', voice: 'x1' }), [
    'eleven_labs Rachel en',
    'eleven_labs x1 en',
    'embedded  en',
  ])
})

test('inherits missing settings from the flow, but a voice only within its provider', () => {
  assert.deepEqual(chosen({ language: 'de' }, { provider: 'azure', voice: 'Jenny' })[0], 'azure Jenny de')
  assert.deepEqual(chosen({ provider: 'eleven_labs' }, { provider: 'azure', voice: 'Jenny', language: 'de' })[0], 'eleven_labs  de')
  assert.deepEqual(chosen({ language: 'de' }, undefined), ['embedded  de', 'embedded  en'])
})

test('reports the reason for another voice once', () => {
  const { voices, problems } = chooseVoices(all, { provider: 'openai', language: 'fr' }, { provider: 'openai' }, 'en')
  assert.deepEqual(
    voices.map(({ provider, language }) => `${provider} ${language}`),
    ['embedded en'],
  )
  assert.deepEqual(problems, [
    'tts.provider: "openai" is not set up here',
    'tts.language: "embedded" does not speak "fr"; install espeak-ng or choose a provider that does',
  ])
  assert.deepEqual(chooseVoices(speechWith({}), undefined, undefined, 'en').problems, ['tts.provider: "embedded" is not set up here'])
})

test('reports an unknown voice and uses another one', () => {
  const voices = () => [{ id: 'en', name: 'English', language: 'en' }]
  const speech: Speech = { ...all, tts: (provider) => ({ ...voiceOf(provider, 'en de'), voices }) }
  const problemsOf = (input: Input): string[] => chooseVoices(speech, input, undefined, 'en').problems
  assert.deepEqual(problemsOf({ voice: 'nobody' }), ['tts.voice: "embedded" has no voice "nobody"; another one speaks'])
  assert.deepEqual(problemsOf({ voice: 'english' }), [])
  assert.deepEqual(problemsOf({ provider: 'azure', voice: 'anybody' }), [], 'providers may have more than they say')
})
