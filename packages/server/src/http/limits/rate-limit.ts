import { Problem } from '@offhook/contract/problem.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'

interface Bucket {
  tokens: number
  at: number
}

const keptBuckets = 50_000

/** So many requests a second for each key (a token, an account, an address), with a burst of ten seconds' worth. */
export class RateLimit {
  readonly #clock: Clock
  readonly #perSecond: number
  /** Who goes on asking is remembered, however many others come; who has been away for ten seconds owes nothing anyway. */
  readonly #buckets = new BoundedMap<string, Bucket>(keptBuckets)

  /** `perSecond` 0 switches it off. */
  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#perSecond = perSecond
  }

  take(key: string): void {
    if (this.#perSecond === 0) return
    const now = this.#clock.now()
    const bucket = this.#bucketOf(key, now)
    const burst = this.#perSecond * 10
    const passedMs = Math.max(0, now - bucket.at) // who sets the clock back locks nobody out
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.tokens < 1) throw new Problem('rate_limited', undefined, { retryAfter: Math.ceil(1 / this.#perSecond) })
    bucket.tokens -= 1
  }

  #bucketOf(key: string, now: number): Bucket {
    const known = this.#buckets.get(key)
    if (known) return known
    const bucket = { tokens: this.#perSecond * 10, at: now }
    this.#buckets.set(key, bucket)
    return bucket
  }
}
