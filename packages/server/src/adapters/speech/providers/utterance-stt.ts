import type { Stt, SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { wavFile } from '#media/sound/wav.ts'
import { stoppableWait } from '../stoppable-wait.ts'

/** Servers that take only one rate take this one. */
const askedRate = 16_000

export interface UtteranceStt {
  name: string
  hears: (language: string) => boolean
  /** `wav`: mono, 16 bit, 16 kHz. */
  ask: (wav: Uint8Array, options: SttOptions, signal: AbortSignal) => Promise<Transcript>
}

/** A recogniser that is given each utterance as a file when it is over. */
export const utteranceStt = ({ name, hears, ask }: UtteranceStt): Stt => ({
  name,
  hears,
  open(track, options) {
    const closed = new AbortController()
    return {
      async transcribe(from, to, signal) {
        const either = AbortSignal.any([signal, closed.signal])
        await stoppableWait(track.reaches(to), either)
        const samples = track.read(from, to)
        if (samples.length === 0) return { text: '' }
        return ask(wavFile(resampleSound(samples, 8000, askedRate), askedRate), options, either)
      },
      close: () => closed.abort(new Error('Closed')),
    }
  },
})
