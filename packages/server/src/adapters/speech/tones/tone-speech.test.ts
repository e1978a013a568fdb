import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sttConformance } from '#test/conformance/stt.ts'
import { ttsConformance } from '#test/conformance/tts.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { toneSound, toneStt, toneTts } from './tone-speech.ts'

const close = (): Promise<void> => Promise.resolve()
const texts = ['Guten Tag', 'Ich möchte einen Tisch für zwei', 'ja', 'auf Wiederhören']

sttConformance({
  name: 'tones',
  open: () => ({ stt: toneStt, close }),
  language: 'de-DE',
  spoken: () => texts.map((text) => ({ text, samples: toneSound(text) })),
})

ttsConformance({ name: 'tones', open: () => ({ tts: toneTts, close }), language: 'en-US' })

test('transcribes the part that has arrived so far', async () => {
  const track = SoundTrack.of(5)
  const stream = toneStt.open(track, { languages: ['en-US'], vocabulary: [] }, { failed: () => assert.fail() })
  track.write(toneSound('stop it please').subarray(0, 8 * 320 + 100))
  const transcript = await stream.transcribe(0, track.length, new AbortController().signal)
  assert.deepEqual(transcript, { text: 'stop it', confidence: 0.5, language: 'en-US' })
})
