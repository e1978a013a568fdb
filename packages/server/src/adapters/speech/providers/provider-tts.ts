import type { Tts } from '#core/kernel/ports/speech.ts'

/** A voice that does not ask the provider for empty text, and whose sound simply ends when it is aborted. */
export const providerTts = (tts: Tts): Tts => ({
  ...tts,
  async *synthesize(utterance, signal) {
    if (signal.aborted || utterance.text.trim() === '') return
    try {
      for await (const piece of tts.synthesize(utterance, signal)) {
        if (signal.aborted) return
        yield piece
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
})
