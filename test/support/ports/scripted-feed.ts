import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SoundFeed } from '#core/kernel/ports/audio.ts'

/** Maximum queued sound in milliseconds, as on a real leg. */
const capacityMs = 10_000

type Played = Awaited<SoundFeed['done']>

/** Streamed sound, played in real duration on the test's clock. */
export class ScriptedFeed implements SoundFeed {
  readonly rate: number
  readonly done: Promise<Played>
  readonly begun: Promise<void>
  /** All samples written. */
  samples: Int16Array<ArrayBuffer> = new Int16Array()
  ended = false
  result: Played | undefined
  readonly #clock: Clock
  readonly #finished: (result: Played) => void
  readonly #begin: () => void
  readonly #waiting = new Set<{ samples: number; resolve: () => void }>()
  /** False while earlier sounds play. */
  #hasTurn = false
  #played = 0
  /** Time of the last position update. */
  #since: number
  #cancel: () => void = () => {}

  constructor(clock: Clock, rate: number) {
    this.#clock = clock
    this.#since = clock.now()
    this.rate = rate
    const done = Promise.withResolvers<Played>()
    const begun = Promise.withResolvers<void>()
    this.done = done.promise
    this.begun = begun.promise
    this.#finished = done.resolve
    this.#begin = begun.resolve
  }

  write(samples: Int16Array): number {
    const taken = samples.subarray(0, Math.min(samples.length, this.#room))
    this.#resume()
    const all = new Int16Array(this.samples.length + taken.length)
    all.set(this.samples)
    all.set(taken, this.samples.length)
    this.samples = all
    this.#resume()
    return taken.length
  }

  hasCapacity(samples: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add({ samples, resolve })
    this.#resume()
    return promise
  }

  end(): void {
    this.ended = true
    this.#resume()
  }

  stop(): void {
    this.#finish(false)
  }

  playedMs(): number {
    return this.result?.playedMs ?? this.#toMs(this.#position)
  }

  /** Starts when earlier sounds in the queue have ended. */
  takeTurn(): void {
    this.#since = this.#clock.now()
    this.#hasTurn = true
    this.#resume()
  }

  get #position(): number {
    if (!this.#hasTurn) return 0
    const elapsed = Math.round(((this.#clock.now() - this.#since) * this.rate) / 1000)
    return Math.min(this.#played + elapsed, this.samples.length)
  }

  get #room(): number {
    if (this.ended || this.result) return 0
    return (capacityMs * this.rate) / 1000 - (this.samples.length - this.#position)
  }

  #resume(): void {
    if (this.result) return this.#answerWaiting()
    this.#played = this.#position
    this.#since = this.#clock.now()
    const left = this.samples.length - this.#played
    if (this.#hasTurn && left > 0) this.#begin()
    if (this.#hasTurn && left === 0 && this.ended) return this.#finish(true)
    this.#answerWaiting()
    this.#cancel()
    if (this.#hasTurn && left > 0) this.#cancel = this.#clock.after(this.#toMs(this.#untilNext(left)), () => this.#resume())
  }

  /** Milliseconds until everything is played, or until there is the room that a writer waits for. */
  #untilNext(left: number): number {
    const missing = [...this.#waiting].map(({ samples }) => samples - this.#room)
    return Math.min(left, ...missing)
  }

  #answerWaiting(): void {
    for (const one of this.#waiting) {
      if (this.#room < one.samples && !this.ended && !this.result) continue
      this.#waiting.delete(one)
      one.resolve()
    }
  }

  #finish(completed: boolean): void {
    if (this.result) return
    this.#cancel()
    this.result = { completed, playedMs: this.#toMs(this.#position) }
    this.#answerWaiting()
    this.#finished(this.result)
  }

  #toMs(samples: number): number {
    return (samples * 1000) / this.rate
  }
}
