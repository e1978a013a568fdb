import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Stall } from '../conversation/conversation.ts'
import type { SpeechPlayout } from '../speaking/speech-playout.ts'

/** Shorter pauses are nothing to speak of, and usual before the first sound. */
const timeoutMs = 1_000

interface StallWatchDeps {
  /** What is playing or about to. */
  current: () => SpeechPlayout | undefined
  stalled: (stall: Stall) => void
}

/** Notices that a speech has the floor and nothing of it is there to be heard; tells so every second. */
export class StallWatch {
  readonly #clock: Clock
  readonly #deps: StallWatchDeps
  #cancel: () => void = () => {}

  constructor(clock: Clock, deps: StallWatchDeps) {
    this.#clock = clock
    this.#deps = deps
  }

  /** Something may have begun to play. */
  watch(): void {
    this.#cancel()
    const lastsMs = this.#deps.current()?.lastsMs
    if (lastsMs !== undefined) this.#cancel = this.#clock.after(lastsMs + timeoutMs, () => this.#poll())
  }

  close(): void {
    this.#cancel()
  }

  /** Undefined: what has the floor can be heard, or only for a moment it cannot, or the caller knows why. */
  get since(): number | undefined {
    const { silentSince, order } = this.#deps.current() ?? {}
    if (silentSince === undefined || order?.rests?.()) return undefined
    return this.#clock.now() - silentSince >= timeoutMs ? silentSince : undefined
  }

  #poll(): void {
    const { since } = this
    if (since !== undefined) this.#deps.stalled({ since, lacks: this.#deps.current()?.lacks ?? 'sound' })
    this.watch()
  }
}
