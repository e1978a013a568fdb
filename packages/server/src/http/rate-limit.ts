import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '../core/ports/clock.ts'

interface Bucket {
  tokens: number
  at: number
}

const keptBuckets = 50_000

/** So many requests a second for each token (or address, where there is none), with a burst of ten seconds' worth. */
export class RateLimit {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #buckets = new Map<string, Bucket>()

  /** `perSecond` 0 switches it off. */
  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#perSecond = perSecond
  }

  take(key: string): void {
    if (this.#perSecond === 0) return
    const now = this.#clock.now()
    const bucket = this.#bucket(key, now)
    const burst = this.#perSecond * 10
    const passedMs = Math.max(0, now - bucket.at) // who sets the clock back locks nobody out
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.tokens < 1) throw new Problem('rate_limited', undefined, { retryAfter: Math.ceil(1 / this.#perSecond) })
    bucket.tokens -= 1
  }

  #bucket(key: string, now: number): Bucket {
    const known = this.#buckets.get(key)
    if (known) return known
    // Forgetting everybody's past is kinder than remembering without bound.
    if (this.#buckets.size >= keptBuckets) this.#buckets.clear()
    const bucket = { tokens: this.#perSecond * 10, at: now }
    this.#buckets.set(key, bucket)
    return bucket
  }
}
