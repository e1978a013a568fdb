import type { Clock } from '#core/kernel/ports/clock.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'

export interface Allowance {
  /** At once, */
  burst: number
  /** and how much comes back. */
  perSecond: number
}

interface Bucket {
  left: number
  filledAt: number
}

/** Token buckets, one for each key. Bounded: who was not heard of for long begins anew. */
export class Allowances {
  readonly #clock: Clock
  readonly #buckets: BoundedMap<string, Bucket>

  constructor(clock: Clock, most: number) {
    this.#clock = clock
    this.#buckets = new BoundedMap(most)
  }

  /** Takes `cost` from what is left for this key; nothing when it is not enough. */
  take(key: string, cost: number, { burst, perSecond }: Allowance): boolean {
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? { left: burst, filledAt: now }
    bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.filledAt) * perSecond) / 1000)
    bucket.filledAt = now
    this.#buckets.set(key, bucket)
    if (bucket.left < cost) return false
    bucket.left -= cost
    return true
  }
}
