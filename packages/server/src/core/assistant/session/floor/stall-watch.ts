import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Stall } from '../conversation/conversation.ts'
import type { SpeechPlayout } from '../speaking/speech-playout.ts'

/** Shorter pauses are nothing to speak of, and usual before the first sound. */
const patienceMs = 1_000

interface StallWatchParts {
  /** What is playing or about to. */
  current: () => SpeechPlayout | undefined
  stalled: (stall: Stall) => void
}

/** Notices that a speech has the floor and nothing of it is there to be heard; tells so every second. */
export class StallWatch {
  readonly #clock: Clock
  readonly #parts: StallWatchParts
  #cancel: () => void = () => {}

  constructor(clock: Clock, parts: StallWatchParts) {
    this.#clock = clock
    this.#parts = parts
  }

  /** Something may have begun to play. */
  watch(): void {
    this.#cancel()
    const lastsMs = this.#parts.current()?.lastsMs
    if (lastsMs !== undefined) this.#cancel = this.#clock.after(lastsMs + patienceMs, () => this.#look())
  }

  close(): void {
    this.#cancel()
  }

  /** Undefined: what has the floor can be heard, or only for a moment it cannot, or the caller knows why. */
  get since(): number | undefined {
    const { silentSince, order } = this.#parts.current() ?? {}
    if (silentSince === undefined || order?.rests?.()) return undefined
    return this.#clock.now() - silentSince >= patienceMs ? silentSince : undefined
  }

  #look(): void {
    const { since } = this
    if (since !== undefined) this.#parts.stalled({ since, lacks: this.#parts.current()?.lacks ?? 'sound' })
    this.watch()
  }
}
