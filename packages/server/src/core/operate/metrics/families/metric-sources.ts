import type { Clock } from '#core/kernel/ports/platform.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { Sample, SampleSource } from './sample.ts'

/** Minimum interval between polls of a costly source, regardless of the number of readers. */
const pollIntervalMs = 10_000
/** Prometheus waits for ten seconds; late sources are omitted. */
const maxMs = 2_000

interface Costly {
  look: () => Promise<readonly Sample[]>
  lookedAt: number
  underWay: Promise<readonly Sample[]> | undefined
  found: readonly Sample[]
}

/** Sources of /metrics, read only on demand. */
export class MetricSources {
  readonly #clock: Clock
  readonly #sources: SampleSource[] = []
  readonly #costly: Costly[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Adds values that a component has anyway. */
  add(source: SampleSource): void {
    this.#sources.push(source)
  }

  /** Adds values that need a query, such as to the database. Omitted on failure. */
  addCostly(look: () => Promise<readonly Sample[]>): void {
    this.#costly.push({ look, lookedAt: -Infinity, underWay: undefined, found: [] })
  }

  async read(): Promise<Sample[]> {
    const looked = await Promise.all(this.#costly.map((one) => this.#pollInTime(one)))
    return [...this.#sources.flatMap((source) => source()), ...looked.flat()]
  }

  async #pollInTime(costly: Costly): Promise<readonly Sample[]> {
    if (this.#clock.elapsed() - costly.lookedAt < pollIntervalMs) return costly.found
    costly.underWay ??= this.#poll(costly)
    return atMost(this.#clock, maxMs, costly.underWay, [])
  }

  async #poll(costly: Costly): Promise<readonly Sample[]> {
    costly.found = await costly.look().catch(() => [])
    costly.lookedAt = this.#clock.elapsed()
    costly.underWay = undefined
    return costly.found
  }
}
