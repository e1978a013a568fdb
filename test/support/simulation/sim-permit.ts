import type { Clock } from '#core/kernel/ports/platform.ts'

/** Time until which the media threads of a process may send, as `Ownership` has said. */
export class SimPermit {
  readonly #clock: Clock
  /** The process begins or stops to send. */
  readonly #changed: () => void
  #until = Infinity
  #sent = true
  #isWatched = false

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock
    this.#changed = changed
  }

  get holds(): boolean {
    return this.#clock.elapsed() < this.#until
  }

  extend(ms: number): void {
    this.#until = this.#clock.elapsed() + ms
    this.#look()
  }

  #look(): void {
    if (this.#sent !== this.holds) {
      this.#sent = this.holds
      this.#changed()
    }
    if (!this.holds || this.#isWatched || this.#until === Infinity) return
    this.#isWatched = true
    this.#clock.after(this.#until - this.#clock.elapsed(), () => {
      this.#isWatched = false
      this.#look()
    })
  }
}
