import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Speech, Stt, Tts } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { speechOf } from './flow-speech.ts'

const own = (tag: string): boolean => /^(en|de)\b/.test(tag)
const nothing = { vad: {} as Speech['vad'], prepare: async () => {}, close: async () => {}, tts: () => undefined, stt: () => undefined }

/** An installation with embedded English and German speech, Azure voices, and no other provider. */
const speech: Speech = {
  ...nothing,
  tts: (provider) => {
    if (provider === 'azure') return { speaks: () => true } as unknown as Tts
    return provider === 'embedded' ? ({ speaks: own } as Tts) : undefined
  },
  stt: (provider) => (provider === 'embedded' ? ({ hears: own } as Stt) : undefined),
}

const deaf = { provider: 'embedded', missing: 'stt.languages: "embedded" does not understand "fr"' }
const cases: [string, FlowSettings, object, object][] = [
  ['nothing set', {}, { provider: 'embedded', language: 'de' }, { provider: 'embedded', language: 'de' }],
  [
    'a language that the installation lacks',
    { language: 'fr' },
    {
      language: 'fr',
      missing: 'tts.language: "embedded" does not speak "fr"; install espeak-ng or choose a provider that does',
    },
    { ...deaf, language: 'fr' },
  ],
  [
    'a provider for the voice only',
    { language: 'fr', tts: { provider: 'AZURE' } },
    { provider: 'azure', language: 'fr' },
    { ...deaf, language: 'fr' },
  ],
  [
    'a provider without a key, and one that does not exist',
    { tts: { provider: 'eleven_labs', language: 'en-GB' }, stt: { provider: 'parrot', languages: ['en', 'de'] } },
    { provider: 'embedded', language: 'en-GB', missing: 'tts.provider: "eleven_labs" is not set up here' },
    { provider: 'embedded', language: 'en', missing: 'stt.provider: "parrot" is not known' },
  ],
]

for (const [name, settings, speaks, hears] of cases)
  test(`resolves the speech providers of a flow: ${name}`, () => assert.deepEqual(speechOf(speech, settings, 'de_DE'), { speaks, hears }))

test('reports missing speech providers of a flow', () => {
  const { speaks, hears } = speechOf(nothing, {}, 'en_US')
  assert.match(speaks.missing ?? '', /not set up here.*install espeak-ng or set a provider/)
  assert.match(hears.missing ?? '', /not set up here.*set a provider/)
  assert.deepEqual([speaks.provider, hears.provider], [undefined, undefined])
})
