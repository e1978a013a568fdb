import { pino } from 'pino'
import { readSettings } from '../../packages/server/src/config.ts'
import type { Stt, Tts } from '../../packages/server/src/core/ports/speech.ts'
import { SoundTrack, samplesPerMs } from '../../packages/server/src/core/sound/sound-track.ts'
import { resampleSound } from '../../packages/server/src/media/resample.ts'
import { openSpeech } from '../../packages/server/src/speech.ts'
import type { Scope } from './temporary-folder.ts'

/** Words of what somebody else's phone has recorded at 8 kHz, by our own recogniser. */
export const openRecogniser = async (t: Scope): Promise<(samples: Float32Array, language: string) => Promise<string>> => {
  const { stt } = await openEmbedded(t)
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

/** Our own voice at 8 kHz, for phones that have to say something. */
export const openVoice = async (t: Scope): Promise<(text: string, language: string) => Promise<Int16Array>> => {
  const { tts } = await openEmbedded(t)
  return async (text, language) => {
    const pieces: Int16Array[] = []
    for await (const piece of tts.synthesize({ text, language }, new AbortController().signal)) pieces.push(piece)
    return resampleSound(Int16Array.from(pieces.flatMap((piece) => [...piece])), tts.rate, 8_000)
  }
}

const openEmbedded = async (t: Scope): Promise<{ stt: Stt; tts: Tts }> => {
  const speech = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded' }), logger: pino({ level: 'silent' }) })
  t.after(() => speech.close())
  const [stt, tts] = [speech.stt('embedded'), speech.tts('embedded')]
  if (!stt || !tts) throw new Error('there is no embedded speech')
  return { stt, tts }
}
