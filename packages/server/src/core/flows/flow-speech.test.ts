import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Speech, Stt, Tts } from '../ports/speech.ts'
import type { FlowSettings } from '../ports/store/flows.ts'
import { speechOf } from './flow-speech.ts'

/** An installation that speaks and hears English and German by itself, has Azure for everything, and no other provider. */
const speech: Pick<Speech, 'stt' | 'tts'> = {
  tts: (provider) => {
    if (provider === 'azure') return { speaks: () => true } as unknown as Tts
    return provider === 'embedded' ? ({ speaks: (tag) => /^(en|de)\b/.test(tag) } as Tts) : undefined
  },
  stt: (provider) => (provider === 'embedded' ? ({ hears: (tag) => /^(en|de)\b/.test(tag) } as Stt) : undefined),
}

const cases: [string, FlowSettings, object, object][] = [
  ['nothing set', {}, { provider: 'embedded', language: 'de-DE' }, { provider: 'embedded', language: 'de-DE' }],
  [
    'a language that the installation lacks',
    { language: 'fr' },
    { language: 'fr', missing: 'no embedded voice for fr: install espeak-ng or set a provider' },
    { language: 'fr', missing: 'no embedded recogniser for fr: set a provider' },
  ],
  [
    'a provider for the voice only',
    { language: 'fr-CA', tts: { provider: 'AZURE' } },
    { provider: 'azure', language: 'fr-CA' },
    { language: 'fr-CA', missing: 'no embedded recogniser for fr-CA: set a provider' },
  ],
  [
    'a provider without a key, and one that does not exist',
    { tts: { provider: 'eleven_labs', language: 'en-GB' }, stt: { provider: 'parrot', languages: ['en', 'de'] } },
    { provider: 'embedded', language: 'en-GB', missing: 'eleven_labs is not set up' },
    { provider: 'embedded', language: 'en', missing: 'parrot is no speech provider' },
  ],
]

for (const [name, settings, speaks, hears] of cases)
  test(`what a flow speaks and hears with: ${name}`, () => assert.deepEqual(speechOf(speech, settings, 'de_DE'), { speaks, hears }))

test('without any speech the flow says so', () => {
  const none = { tts: () => undefined, stt: () => undefined }
  assert.deepEqual(speechOf(none, {}, 'en_US').speaks, {
    language: 'en-US',
    missing: 'embedded is not set up: install espeak-ng or set a provider',
  })
})
