import { readSettings } from '#settings/config.ts'
import type { Stt } from '#core/kernel/ports/speech.ts'
import { SoundTrack, samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import { openSpeech } from '#wiring/speech.ts'
import type { Scope } from '../machine/temporary-folder.ts'

/** Transcribes an 8 kHz recording of a third-party phone with the embedded recogniser. */
export const openRecogniser = async (t: Scope): Promise<(samples: Float32Array, language: string) => Promise<string>> => {
  const stt = await openEmbedded(t)
  return async (samples, language) => {
    const track = SoundTrack.of(samples.length / (samplesPerMs * 1000) + 1)
    track.write(Int16Array.from(samples, (value) => Math.round(value * 32_767)))
    track.end()
    const stream = stt.open(track, { languages: [language], vocabulary: [] }, { failed: () => {} })
    const { text } = await stream.transcribe(0, track.length, new AbortController().signal)
    stream.close()
    return text
  }
}

/** Recogniser of a service with default settings. */
export const openEmbedded = async (t: Scope): Promise<Stt> => {
  const speech = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded' }), log: () => {} })
  t.after(() => speech.close())
  const stt = speech.stt('embedded')
  if (!stt) throw new Error('there is no embedded recogniser')
  return stt
}
