import type { Feed, PcmRate, Playback } from '../engine.ts'
import type { SampleRing } from '../thread/sample-ring.ts'

/** The main thread's end of a feed: what is written goes through the ring, and how far it is read there tells how much was played. */
export class FeedHandle implements Feed {
  readonly done: Feed['done']
  readonly begun: Promise<void>
  readonly #ring: SampleRing
  readonly #rate: PcmRate
  readonly #playback: Playback
  #ended = false
  /** Stopped while more was to come: it is not complete, even if all that was written is played. */
  #cut = false

  constructor(ring: SampleRing, rate: PcmRate, playback: Playback) {
    this.#ring = ring
    this.#rate = rate
    this.#playback = playback
    const { promise, resolve } = Promise.withResolvers<void>()
    const notifyBegun = (): void => {
      if (ring.readUntilNow > 0) resolve()
    }
    this.begun = promise
    void ring.isRead(() => this.#ended).then(notifyBegun)
    this.done = playback.done.then(({ completed }) => {
      this.#ended = true
      ring.end()
      notifyBegun()
      return { completed: completed && !this.#cut, playedMs: this.playedMs() }
    })
  }

  get room(): number {
    return this.#ring.room
  }

  write(samples: Int16Array): number {
    return this.#ring.write(samples)
  }

  hasCapacity(samples: number): Promise<void> {
    return this.#ring.hasCapacity(samples)
  }

  end(): void {
    this.#ring.end()
  }

  stop(): void {
    if (!this.#ring.ended) this.#cut = true
    this.#ring.end()
    this.#playback.stop()
  }

  playedMs(): number {
    return (this.#ring.readUntilNow * 1000) / this.#rate
  }
}
