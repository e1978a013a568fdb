import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PromptName } from '#core/kernel/ports/audio.ts'
import { sine } from '#media/sound/tone.ts'
import { wavFile } from '#media/sound/wav.ts'
import { Sounds } from './sounds.ts'

const prompts: PromptName[] = [
  'voicemail-greeting',
  'insufficient-funds',
  'spending-limit',
  'not-available',
  'closed',
  'recording-notice',
  'recording-consent',
  'new-message',
  'heard-message',
  'message-menu',
  'message-erased',
  'no-more-messages',
]
const loudness = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

test('every prompt exists in German and English and is audible', () => {
  const sounds = new Sounds()
  for (const prompt of prompts) {
    for (const language of ['de', 'en']) {
      const { samples } = sounds.pcm({ prompt, language })
      assert.ok(samples.length > 6000 && loudness(samples) > 500, `${language}/${prompt}`)
    }
  }
  assert.notDeepEqual(
    sounds.pcm({ prompt: 'voicemail-greeting', language: 'de' }),
    sounds.pcm({ prompt: 'voicemail-greeting', language: 'en' }),
  )
})

test('the recording notice exists in five languages', () => {
  const sounds = new Sounds()
  for (const prompt of ['recording-notice', 'recording-consent'] as const) {
    const all = ['de', 'en', 'fr', 'es', 'it'].map((language) => sounds.pcm({ prompt, language }).samples.length)
    assert.equal(new Set(all).size, 5, prompt)
  }
})

test('falls back to English for an unknown language, and never uses a language as a path', () => {
  const sounds = new Sounds()
  const english = sounds.pcm({ prompt: 'not-available', language: 'en' })
  for (const language of ['fr', '', '../de', 'de_DE']) assert.deepEqual(sounds.pcm({ prompt: 'not-available', language }), english)
})

test('makes built-in sounds once and does not copy them per call', () => {
  const sounds = new Sounds()
  for (const sound of [
    { tone: 'ringback' },
    { tone: 'beep' },
    { music: 'hold' },
    { prompt: 'voicemail-greeting', language: 'en' },
  ] as const) {
    const pcm = sounds.pcm(sound)
    assert.equal(sounds.pcm(sound), pcm)
    assert.ok(pcm.samples.buffer instanceof SharedArrayBuffer)
  }
})

test('plays a file at its own rate if a line supports it', () => {
  const sounds = new Sounds()
  assert.deepEqual(sounds.pcm({ wav: wavFile(sine([440], 100, 16_000), 16_000) }).rate, 16_000)
  assert.equal(sounds.pcm({ wav: wavFile(sine([440], 100, 44_100), 44_100) }).samples.length, 800)
  assert.equal(sounds.pcm({ wav: Buffer.from('not a file') }).samples.length, 0)
})
