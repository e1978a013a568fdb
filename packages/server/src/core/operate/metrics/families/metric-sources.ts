import type { Clock } from '#core/kernel/ports/clock.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import type { Sample, SampleSource } from './sample.ts'

/** What costs something to find out is found out at most so often, however many ask. */
const pollIntervalMs = 10_000
/** Prometheus waits for ten seconds; what others do not say in time is left out. */
const maxMs = 2_000

interface Costly {
  look: () => Promise<readonly Sample[]>
  lookedAt: number
  underWay: Promise<readonly Sample[]> | undefined
  found: readonly Sample[]
}

/** Everything that /metrics shows, gathered when it is asked for and at no other time. */
export class MetricSources {
  readonly #clock: Clock
  readonly #sources: SampleSource[] = []
  readonly #costly: Costly[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What a part counts or knows anyway. */
  add(source: SampleSource): void {
    this.#sources.push(source)
  }

  /** What has to be asked for, such as the database. When that fails, it is left out. */
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
