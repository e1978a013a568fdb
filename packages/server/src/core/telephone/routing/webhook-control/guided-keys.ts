import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Leg, Playback } from '#core/kernel/ports/telephony.ts'

const idle = (): void => {}

/** More than a caller types ahead. */
const maxRetained = 200

export interface Collecting {
  most: number
  /** How long to wait for the first key, and for each one after it. Begins when nothing is heard any more. */
  timeoutMs: number
  /** What is heard until the first key. */
  playing: Playback | undefined
}

/** The keys that a caller presses. Those that were not asked for yet are kept for the next question. */
export class Keys {
  readonly #clock: Clock
  readonly #stopObserving: () => void
  #pressed = ''
  #onKey: () => void = idle

  constructor(clock: Clock, leg: Leg) {
    this.#clock = clock
    this.#stopObserving = leg.observe({ dtmf: (digit) => this.#press(digit) })
  }

  get waiting(): boolean {
    return this.#pressed !== ''
  }

  /** Empty when none was pressed. Ends early with `over`. */
  async collect({ most: max, timeoutMs, playing }: Collecting, over: Promise<unknown>): Promise<string> {
    const { promise: complete, resolve } = Promise.withResolvers<void>()
    let collecting = true
    let cancelTimer = (): void => {}
    const wait = (): void => {
      cancelTimer()
      if (this.#pressed.length >= max) resolve()
      else cancelTimer = this.#clock.after(timeoutMs, resolve)
    }
    this.#onKey = () => {
      playing?.stop()
      wait()
    }
    if (this.waiting) this.#onKey()
    // The first key may come, and all may be over, before everything was heard.
    void Promise.resolve(playing?.done).then(() => collecting && !this.waiting && wait())
    await Promise.race([complete, over])
    collecting = false
    this.#onKey = idle
    cancelTimer()
    playing?.stop()
    return this.#take(max)
  }

  stop(): void {
    this.#stopObserving()
  }

  #press(digit: string): void {
    if (this.#pressed.length >= maxRetained) return
    this.#pressed += digit
    this.#onKey()
  }

  #take(max: number): string {
    const taken = this.#pressed.slice(0, max)
    this.#pressed = this.#pressed.slice(max)
    return taken
  }
}
