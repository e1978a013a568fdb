import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Stt, SttObserver, SttOptions, SttStream, Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'

/** Recogniser latency on a clock that is frozen while it computes: constant for the same sound. */
export interface Pace {
  ms: number
  msPerSecond: number
}

/** Measured on one core of the machine in docs/benchmarks.md, rounded. */
export const paces: Readonly<Record<'tiny' | 'base' | 'whisper base' | 'whisper small', Pace>> = {
  tiny: { ms: 20, msPerSecond: 40 },
  base: { ms: 30, msPerSecond: 60 },
  'whisper base': { ms: 350, msPerSecond: 40 },
  'whisper small': { ms: 900, msPerSecond: 130 },
}

interface Question {
  to: number
  track: SoundTrack
  ask: () => Promise<void>
}

/** Real recogniser that answers after virtual-clock delays. */
export class TimedRecogniser implements Stt {
  readonly name = 'embedded'
  readonly #stt: Stt
  readonly #pace: Pace
  readonly #clock: () => Clock
  #questions: Question[] = []

  constructor(stt: Stt, pace: Pace, clock: () => Clock) {
    this.#stt = stt
    this.#pace = pace
    this.#clock = clock
  }

  hears(language: string): boolean {
    return this.#stt.hears(language)
  }

  open(track: SoundTrack, options: SttOptions, observer: SttObserver): SttStream {
    const stream = this.#stt.open(track, options, observer)
    return {
      transcribe: (from, to, signal, expected) =>
        this.#queue(track, to, signal, () => stream.transcribe(from, to, signal, expected), to - from),
      close: () => stream.close(),
    }
  }

  /** Resolves when all requests whose sound was fed are answered, so the clock may advance. */
  async settled(): Promise<void> {
    for (;;) {
      const ready = this.#questions.filter(({ track, to }) => track.length >= to || track.ended)
      if (ready.length === 0) return
      this.#questions = this.#questions.filter((question) => !ready.includes(question))
      await Promise.all(ready.map(({ ask }) => ask()))
    }
  }

  #queue(track: SoundTrack, to: number, signal: AbortSignal, ask: () => Promise<Transcript>, samples: number): Promise<Transcript> {
    const { promise, resolve, reject } = Promise.withResolvers<Transcript>()
    const lasts = this.#pace.ms + (this.#pace.msPerSecond * samples) / (samplesPerMs * 1000)
    const question: Question = {
      to,
      track,
      ask: async () => {
        const answer = await ask().then(
          (transcript) => () => resolve(transcript),
          (error: unknown) => () => reject(error),
        )
        this.#clock().after(lasts, answer)
      },
    }
    this.#questions.push(question)
    const forget = (): void => {
      this.#questions = this.#questions.filter((other) => other !== question)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', forget)
    return promise.finally(() => signal.removeEventListener('abort', forget))
  }
}
