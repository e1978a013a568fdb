import type { Stt, Transcript, Tts } from '#core/kernel/ports/speech.ts'
import { stoppableWait } from '../stoppable-wait.ts'
import { toneMessages, toneSound } from './tone-sound.ts'

const chunkSamples = 1_600

/** Says every text in every language, as tones: for tests, which can then tell exactly what was heard. */
export const toneTts: Tts = {
  name: 'tones',
  rate: 8_000,
  ssml: false,
  speaks: () => true,
  voices: () => [
    { id: 'en', name: 'English', language: 'en' },
    { id: 'de', name: 'German', language: 'de' },
  ],
  async *synthesize({ text }, signal) {
    if (text.trim() === '') return
    const sound = toneSound(text)
    for (let at = 0; at < sound.length && !signal.aborted; at += chunkSamples) yield sound.subarray(at, at + chunkSamples)
  },
}

/** Understands what toneTts says, also as far as it has come. What was damaged on the way is not understood. */
export const toneStt: Stt = {
  name: 'tones',
  hears: () => true,
  open: (track, { languages }) => {
    const closed = new AbortController()
    return {
      async transcribe(from, to, signal): Promise<Transcript> {
        const wanted = AbortSignal.any([signal, closed.signal])
        await stoppableWait(track.reaches(to), wanted)
        wanted.throwIfAborted()
        const understood = toneMessages(track.read(from, to)).filter(({ complete, ended }) => complete || !ended)
        const text = understood.map((message) => message.text.trim()).join(' ')
        if (text === '') return { text }
        const [language] = languages
        return { text, confidence: understood.every(({ complete }) => complete) ? 1 : 0.5, ...(language !== undefined && { language }) }
      },
      close: () => closed.abort(),
    }
  },
}
