import type { KnownVoice, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { readSound } from '#media/sound/wav.ts'
import { shapeSound } from './shape-sound.ts'

const rate = 16_000

export interface ProgramVoiceDeps {
  name: string
  speaks: (language: string) => boolean
  voices?: () => readonly KnownVoice[]
  /** A WAV file with these words, which are at most a sentence. */
  saySentence: (text: string, utterance: Utterance, signal: AbortSignal) => Promise<Uint8Array>
}

/** A voice that is another program: sentence by sentence, so that the first is heard while the next is made. */
export const programVoice = ({ name, speaks, voices, saySentence }: ProgramVoiceDeps): Tts => ({
  name,
  rate,
  ssml: false,
  speaks,
  ...(voices && { voices }),
  async *synthesize(utterance, signal) {
    for (const sentence of utterancesOf(utterance.text, utterance.language)) {
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue
      try {
        const samples = shapeSound(readSound(await saySentence(sentence, utterance, signal), rate), rate, sentence)
        if (samples.length > 0) yield samples
      } catch (error) {
        if (signal.aborted) return
        throw error
      }
    }
  },
})
