import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { TokenBuckets, type TokenRate } from '#core/kernel/token-bucket.ts'

const keptBuckets = 50_000
const burstSeconds = 10

/** Limits the requests per second of each key (a token, an account, an address), with a burst of ten seconds' worth. */
export class RateLimit {
  readonly #rate: TokenRate
  readonly #buckets: TokenBuckets

  /** `perSecond` 0 switches it off. */
  constructor(clock: Clock, perSecond: number) {
    this.#rate = { burst: perSecond * burstSeconds, perSecond }
    this.#buckets = new TokenBuckets(clock, keptBuckets)
  }

  /** Throws a Problem when the key has used up its requests. */
  take(key: string): void {
    const { perSecond } = this.#rate
    if (perSecond === 0 || this.#buckets.take(key, this.#rate)) return
    throw new Problem('rate_limited', undefined, { retryAfter: Math.ceil(1 / perSecond) })
  }
}
