import { BoundedMap } from './bounded-map.ts'
import type { Clock } from './ports/clock.ts'

export interface TokenRate {
  /** How many may be taken at once, */
  burst: number
  /** and how many come back each second. */
  perSecond: number
}

/** A token bucket. It begins full; its rate is given with each call, because it may change while the bucket is in use. */
export class TokenBucket {
  #tokens: number
  #filledAt: number

  constructor({ burst }: TokenRate, nowMs: number) {
    this.#tokens = burst
    this.#filledAt = nowMs
  }

  /** False when fewer than `cost` tokens are left; then none is taken. */
  take(rate: TokenRate, nowMs: number, cost = 1): boolean {
    this.#fill(rate, nowMs)
    if (this.#tokens < cost) return false
    this.#tokens -= cost
    return true
  }

  /** Somebody took them elsewhere, whether they were there or not: at most a whole bucket is owed. */
  spend(rate: TokenRate, nowMs: number, cost: number): void {
    this.#fill(rate, nowMs)
    this.#tokens = Math.max(-rate.burst, this.#tokens - cost)
  }

  /** From the last `take` until there are `cost` tokens. */
  secondsUntil({ perSecond }: TokenRate, cost = 1): number {
    return Math.max(0, (cost - this.#tokens) / perSecond)
  }

  #fill({ burst, perSecond }: TokenRate, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#filledAt) // a clock that is set back must not empty it
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * perSecond) / 1000)
    this.#filledAt = nowMs
  }
}

/** One bucket for each key. Bounded: a key that was not used for long begins with a full bucket again. */
export class TokenBuckets {
  readonly #clock: Clock
  readonly #buckets: BoundedMap<string, TokenBucket>

  constructor(clock: Clock, maxKeys: number) {
    this.#clock = clock
    this.#buckets = new BoundedMap(maxKeys)
  }

  /** False when fewer than `cost` tokens are left; then none is taken. */
  take(key: string, rate: TokenRate, cost = 1): boolean {
    const now = this.#clock.now()
    return this.#of(key, rate, now).take(rate, now, cost)
  }

  /** Somebody took them elsewhere. */
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
