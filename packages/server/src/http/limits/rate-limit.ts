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
  /** RateLimit-Policy of this limit (draft-ietf-httpapi-ratelimit-headers); undefined if it is off. */
  readonly policy: string | undefined
  readonly #name: string
  readonly #rate: TokenRate
  readonly #buckets: TokenBuckets

  readonly #spent: Pick<SpentTokens, 'took'> | undefined

  /** `perSecond` 0 switches it off. `share`: counts together with peer nodes. */
  constructor(clock: Clock, perSecond: number, { name = 'requests', share }: { name?: string; share?: ShareRate | undefined } = {}) {
    this.#rate = { burst: perSecond * burstSeconds, perSecond }
    this.#name = name
    this.policy = perSecond === 0 ? undefined : `"${name}";q=${this.#rate.burst};w=${burstSeconds}`
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

  /** RateLimit of this key: requests left, and seconds until there are as many as at first. */
  state(key: string): string {
    const { burst, perSecond } = this.#rate
    const seconds = this.#buckets.secondsUntil(key, this.#rate, burst)
    // The division may miss a whole number by its last digit.
    const left = Math.max(0, Math.floor(burst - seconds * perSecond + 1e-6))
    return `"${this.#name}";r=${left};t=${Math.ceil(seconds)}`
  }
}
