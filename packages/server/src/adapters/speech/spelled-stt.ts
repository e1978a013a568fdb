import type { Stt, Transcript } from '#core/kernel/ports/speech.ts'
import { spelled } from '#core/speech/spelling/spelling.ts'

/** Wraps a recogniser and normalizes its spelling, so that endpoints can match words. */
export const spelledStt = (stt: Stt): Stt => ({
  name: stt.name,
  hears: (language) => stt.hears(language),
  open: (track, options, observer) => {
    const [first = ''] = options.languages
    const asSpelled = (heard: Transcript): Transcript => ({ ...heard, text: spelled(heard.text, heard.language ?? first) })
    const stream = stt.open(track, options, {
      ...(observer.partial && { partial: (text) => observer.partial?.(spelled(text, first)) }),
      failed: (error) => observer.failed(error),
    })
    return {
      transcribe: async (from, to, signal, expected) => {
        const transcript = await stream.transcribe(from, to, signal, expected)
        return asSpelled(transcript)
      },
      ...(stream.glance && {
        glance: async (from, to, signal) => {
          const seen = await stream.glance?.(from, to, signal)
          return seen && asSpelled(seen)
        },
      }),
      close: () => stream.close(),
    }
  },
})
