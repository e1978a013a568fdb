import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stt, SttObserver } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { spelledStt } from './spelled-stt.ts'

test('normalizes the spelling of a transcript in its detected language', async () => {
  let observed: SttObserver | undefined
  const stt: Stt = {
    name: 'embedded',
    hears: (language) => language === 'en',
    open: (_track, _options, observer) => {
      observed = observer
      const hear = () => Promise.resolve({ text: 'um acht Uhr,,', language: 'de', confidence: 0.9 })
      return { transcribe: hear, glance: hear, close: () => {} }
    },
  }
  const partials: string[] = []
  const failures: string[] = []
  const observer = { partial: (text: string) => partials.push(text), failed: ({ message }: Error) => failures.push(message) }
  const stream = spelledStt(stt).open(SoundTrack.of(1), { languages: ['en', 'de'], vocabulary: [] }, observer)
  observed?.partial?.('good-bye')
  observed?.failed(new Error('gone'))
  assert.deepEqual([partials, failures], [['Goodbye'], ['gone']])
  const never = new AbortController().signal
  for (const heard of [await stream.transcribe(0, 1, never), await stream.glance?.(0, 1, never)])
    assert.deepEqual(heard, { text: 'Um 8 Uhr,', language: 'de', confidence: 0.9 })
})
