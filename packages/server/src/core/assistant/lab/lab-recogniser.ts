import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Stt, SttOptions, SttStream, Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'

/** What was said between two places of the whole recording. */
export type AskRecogniser = (options: SttOptions, from: number, to: number) => Promise<Transcript>

/** The same question is asked once, however many variants have it. */
export const askedOnce = (ask: AskRecogniser): AskRecogniser => {
  const known = new Map<string, Promise<Transcript>>()
  return (options, from, to) => {
    const question = JSON.stringify([options, from, to])
    const answer = known.get(question) ?? ask(options, from, to)
    known.set(question, answer)
    return answer
  }
}

/** A recogniser in the time of the recording: its answers come as long after the sound as they did in the call. */
export class LabRecogniser implements Stt {
  readonly name = 'embedded'
  readonly #ask: AskRecogniser
  readonly #clock: () => Clock
  readonly #takesMs: number
  readonly #open = new Set<Promise<void>>()

  constructor(ask: AskRecogniser, clock: () => Clock, takesMs: number) {
    this.#ask = ask
    this.#clock = clock
    this.#takesMs = takesMs
  }

  hears(): boolean {
    return true
  }

  open(_track: SoundTrack, options: SttOptions): SttStream {
    return { transcribe: (from, to, signal) => this.#answer(options, { from, to }, signal), close: () => {} }
  }

  /** Time may go on when everything is answered that is due. */
  async answered(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Nothing is found out before its time, so that questions that are taken back cost nothing. */
  #answer(options: SttOptions, { from, to }: { from: number; to: number }, signal: AbortSignal): Promise<Transcript> {
    const { promise, resolve, reject } = Promise.withResolvers<Transcript>()
    const clock = this.#clock()
    const cancel = clock.after(Math.max(0, to / samplesPerMs - clock.now()) + this.#takesMs, () => {
      const asked = this.#ask(options, from, to)
        .then(resolve, reject)
        .finally(() => this.#open.delete(asked))
      this.#open.add(asked)
    })
    const forget = (): void => {
      cancel()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', forget)
    return promise.finally(() => signal.removeEventListener('abort', forget))
  }
}
