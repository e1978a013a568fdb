import type { Tts } from '#core/kernel/ports/speech.ts'

/** A voice that says nothing for nothing, and whose sound simply ends when nobody wants it any more. */
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
