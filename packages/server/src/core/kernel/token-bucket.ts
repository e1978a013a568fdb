import { BoundedMap } from './bounded-map.ts'
import type { Clock } from './ports/platform.ts'

export interface TokenRate {
  /** Maximum tokens taken in one burst. */
  burst: number
  /** Tokens refilled per second. */
  perSecond: number
}

/** Token bucket that starts full. Each call passes the rate, because it may change while the bucket is in use. */
export class TokenBucket {
  #tokens: number
  #filledAt: number

  constructor({ burst }: TokenRate, nowMs: number) {
    this.#tokens = burst
    this.#filledAt = nowMs
  }

  /** Returns false and takes none if fewer than `cost` tokens are left. */
  take(rate: TokenRate, nowMs: number, cost = 1): boolean {
    this.#fill(rate, nowMs)
    if (this.#tokens < cost) return false
    this.#tokens -= cost
    return true
  }

  /** Checks whether `take` would succeed now. */
  holds(rate: TokenRate, nowMs: number, cost = 1): boolean {
    this.#fill(rate, nowMs)
    return this.#tokens >= cost
  }

  /** Subtracts tokens that another node took, available or not. The debt is at most one burst. */
  spend(rate: TokenRate, nowMs: number, cost: number): void {
    this.#fill(rate, nowMs)
    this.#tokens = Math.max(-rate.burst, this.#tokens - cost)
  }

  /** Seconds from the last `take` until `cost` tokens are available. */
  secondsUntil({ perSecond }: TokenRate, cost = 1): number {
    return Math.max(0, (cost - this.#tokens) / perSecond)
  }

  #fill({ burst, perSecond }: TokenRate, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#filledAt) // a clock set back must not empty the bucket
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * perSecond) / 1000)
    this.#filledAt = nowMs
  }
}

/** One bucket per key. Bounded: a key unused for a long time starts with a full bucket again. */
export class TokenBuckets {
  readonly #clock: Clock
  readonly #buckets: BoundedMap<string, TokenBucket>

  constructor(clock: Clock, maxKeys: number) {
    this.#clock = clock
    this.#buckets = new BoundedMap(maxKeys)
  }

  /** Returns false and takes none if fewer than `cost` tokens are left. */
  take(key: string, rate: TokenRate, cost = 1): boolean {
    const now = this.#clock.now()
    return this.#of(key, rate, now).take(rate, now, cost)
  }

  /** Subtracts tokens that another node took. */
  spend(key: string, rate: TokenRate, cost: number): void {
    const now = this.#clock.now()
    this.#of(key, rate, now).spend(rate, now, cost)
  }

  secondsUntil(key: string, rate: TokenRate, cost = 1): number {
    return this.#buckets.get(key)?.secondsUntil(rate, cost) ?? 0
  }

  #of(key: string, rate: TokenRate, now: number): TokenBucket {
    const known = this.#buckets.get(key)
    if (known) return known
    const bucket = new TokenBucket(rate, now)
    this.#buckets.set(key, bucket)
    return bucket
  }
}
