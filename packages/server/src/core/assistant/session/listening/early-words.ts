import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import type { Transcriber } from '#core/speech/voices/transcriber.ts'

/**
 * How a recogniser without partial results of its own is asked while the caller speaks. `guess`: it decides something, so the recogniser
 * takes the time; `glance`: it is only told, so nobody else may have to wait for it.
 */
export type PartialMode = 'guess' | 'glance'

/**
 * This long after the voice began, and then this often; or, if that is longer, after this share of the turn: everything said is recognised
 * again each time, and a long turn must not cost more for each second than a short one.
 */
const pace: Record<PartialMode, { firstMs: number; nextMs: number; share: number }> = {
  guess: { firstMs: 200, nextMs: 200, share: 0 },
  glance: { firstMs: 600, nextMs: 600, share: 1 / 6 },
}

export interface EarlyWordsDeps {
  clock: Clock
  track: SoundTrack
  transcriber: Pick<Transcriber, 'guess' | 'glance'>
  /** `take` is called with the answer, unless the signal was aborted. */
  ask: (answer: Promise<Transcript>, signal: AbortSignal, take: (heard: Transcript) => void) => void
  /** Empty: nothing was. What has to be found out next is to be said by `attend`. */
  understood: (heard: Transcript) => void
}

/** Asks what was said before the caller has paused, again and again, as long as barge-in or the endpoint wants to know. */
export class EarlyWords {
  readonly #deps: EarlyWordsDeps
  #asking: { how: PartialMode; stop: () => void } | undefined
  #voiceFrom = 0
  #askedAt: number | undefined

  constructor(deps: EarlyWordsDeps) {
    this.#deps = deps
  }

  /** A turn begins here. */
  begins(at: number): void {
    this.#voiceFrom = at
    this.#askedAt = undefined
  }

  /** What is said since `from` is wanted. */
  attend(how: PartialMode, from: number): void {
    if (this.#asking && this.#asking.how !== how) this.stop()
    this.#asking ??= { how, stop: this.#askSoon(how, from) }
  }

  stop(): void {
    this.#asking?.stop()
    this.#asking = undefined
  }

  #askSoon(how: PartialMode, from: number): () => void {
    const { clock, track, transcriber, ask, understood } = this.#deps
    const question = new AbortController()
    const cancel = clock.after(Math.max(0, this.#due(how) - track.length) / samplesPerMs, () => {
      this.#askedAt = track.length
      ask(transcriber[how](from, track.length, question.signal), question.signal, (heard) => {
        this.#asking = undefined
        understood(heard)
      })
    })
    return () => {
      cancel()
      question.abort(noLongerWanted)
    }
  }

  /** Not before there is enough to be understood. */
  #due(how: PartialMode): number {
    const { firstMs, nextMs, share } = pace[how]
    const asked = this.#askedAt
    if (asked === undefined) return this.#voiceFrom + firstMs * samplesPerMs
    return asked + Math.max(nextMs * samplesPerMs, share * (asked - this.#voiceFrom))
  }
}
