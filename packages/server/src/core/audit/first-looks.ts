import type { Clock } from '../ports/clock.ts'

const hourMs = 3_600_000
const most = 10_000

/** Who looks at the same thing again and again, as pages that refresh do, has looked once in an hour as far as the audit log is concerned. */
export class FirstLooks {
  readonly #clock: Clock
  readonly #noted = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this look is the one to write down. */
  isFirst(look: string): boolean {
    const now = this.#clock.now()
    const last = this.#noted.get(look)
    if (last !== undefined && now - last < hourMs) return false
    this.#noted.delete(look) // so that the oldest stand first
    this.#noted.set(look, now)
    for (const [oldest, at] of this.#noted) {
      if (this.#noted.size <= most && now - at < hourMs) break
      this.#noted.delete(oldest)
    }
    return true
  }
}
