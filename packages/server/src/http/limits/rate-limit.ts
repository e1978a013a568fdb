import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SpentTokens } from '#core/kernel/shared-state/spent-tokens.ts'
import { TokenBuckets, type TokenRate } from '#core/kernel/token-bucket.ts'

/** Shares spent tokens with peer nodes: `spend` is called for theirs, `took` reports ours. */
export type ShareRate = (spend: (key: string, tokens: number) => void) => Pick<SpentTokens, 'took'>

const keptBuckets = 50_000
const burstSeconds = 10

/** Limits the requests per second of each key (a token, an account, an address), with a burst of ten seconds' worth. */
export class RateLimit {
  readonly #rate: TokenRate
  readonly #buckets: TokenBuckets

  readonly #spent: Pick<SpentTokens, 'took'> | undefined

  /** `perSecond` 0 switches it off. `share`: counts together with peer nodes. */
  constructor(clock: Clock, perSecond: number, share?: ShareRate) {
    this.#rate = { burst: perSecond * burstSeconds, perSecond }
    this.#buckets = new TokenBuckets(clock, keptBuckets)
    this.#spent = perSecond === 0 ? undefined : share?.((key, tokens) => this.#buckets.spend(key, this.#rate, tokens))
  }

  /** Throws a Problem when the key is exhausted. */
  take(key: string): void {
    const { perSecond } = this.#rate
    if (perSecond === 0) return
    if (this.#buckets.take(key, this.#rate)) return this.#spent?.took(key)
    throw new Problem('rate_limited', undefined, { retryAfter: Math.ceil(1 / perSecond) })
  }
}
