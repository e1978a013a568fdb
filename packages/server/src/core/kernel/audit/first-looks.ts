import type { Clock } from '../ports/clock.ts'

const hourMs = 3_600_000
const max = 10_000

/** Who looks at the same thing again and again, as pages that refresh do, has looked once in an hour as far as the audit log is concerned. */
export class FirstLooks {
  readonly #clock: Clock
  readonly #noted = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Has the look written down, unless it was lately. Rejects when that fails, so that there is no look without a trace. */
  async note(look: string, write: () => Promise<unknown>): Promise<void> {
    if (this.#isKnown(look)) return
    await write()
    this.#remember(look)
  }

  #isKnown(look: string): boolean {
    const last = this.#noted.get(look)
    return last !== undefined && this.#clock.now() - last < hourMs
  }

  #remember(look: string): void {
    const now = this.#clock.now()
    this.#noted.delete(look) // so that the oldest stand first
    this.#noted.set(look, now)
    for (const [oldest, at] of this.#noted) {
      if (this.#noted.size <= max && now - at < hourMs) break
      this.#noted.delete(oldest)
    }
  }
}
