import type { SoundFeed } from '#core/kernel/ports/audio.ts'
import { LegAudio } from '../leg/leg-audio.ts'

/** Sound of a leg without a listener: fed sound counts as played immediately. */
export class UnheardAudio extends LegAudio {
  override feed(rate: 8000 | 16000): SoundFeed {
    return new UnheardFeed(rate)
  }
}

class UnheardFeed implements SoundFeed {
  readonly begun: Promise<void>
  readonly done: SoundFeed['done']
  readonly #rate: number
  readonly #begin: () => void
  readonly #finish: (outcome: Awaited<SoundFeed['done']>) => void
  #samples = 0
  #ended = false

  constructor(rate: number) {
    this.#rate = rate
    const begun = Promise.withResolvers<void>()
    const done = Promise.withResolvers<Awaited<SoundFeed['done']>>()
    this.begun = begun.promise
    this.done = done.promise
    this.#begin = begun.resolve
    this.#finish = done.resolve
  }

  write(samples: Int16Array): number {
    if (this.#ended) return 0
    this.#samples += samples.length
    this.#begin()
    return samples.length
  }

  hasCapacity(): Promise<void> {
    return Promise.resolve()
  }

  end(): void {
    this.#leave(true)
  }

  stop(): void {
    this.#leave(false)
  }

  playedMs(): number {
    return Math.round((this.#samples * 1000) / this.#rate)
  }

  #leave(completed: boolean): void {
    this.#ended = true
    this.#finish({ completed, playedMs: this.playedMs() })
  }
}
