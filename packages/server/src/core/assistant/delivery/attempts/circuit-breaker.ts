import type { Clock } from '#core/kernel/ports/clock.ts'

const failuresInARow = 5
const judged = { results: 20, withinMs: 30_000, failures: 10 }
const tryAgainAfterMs = 10_000
const mostEndpoints = 10_000

/** Keeps callers from waiting for an endpoint that does not answer anyway. */
export class CircuitBreaker {
  readonly #clock: Clock
  #inARow = 0
  /** The last results: when, and whether it failed. */
  #results: { at: number; failed: boolean }[] = []
  #openUntil: number | undefined
  #trying = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Milliseconds until an attempt is allowed; 0: now. An attempt that was allowed has to report its outcome. */
  admit(): number {
    if (this.#openUntil === undefined) return 0
    const wait = this.#openUntil - this.#clock.elapsed()
    if (wait > 0) return wait
    if (this.#trying) return tryAgainAfterMs
    this.#trying = true // one goes ahead, the others wait for what it finds
    return 0
  }

  succeeded(): void {
    if (this.#openUntil !== undefined) this.#close()
    this.#inARow = 0
    this.#note(false)
  }

  failed(): void {
    this.#inARow++
    this.#note(true)
    if (this.#openUntil !== undefined || this.#isTooBad()) this.#openUntil = this.#clock.elapsed() + tryAgainAfterMs
    this.#trying = false
  }

  /** The attempt that was allowed found out nothing. */
  withdrawn(): void {
    this.#trying = false
  }

  #close(): void {
    this.#openUntil = undefined
    this.#trying = false
    this.#results = []
  }

  #note(failed: boolean): void {
    this.#results.push({ at: this.#clock.elapsed(), failed })
    if (this.#results.length > judged.results) this.#results.shift()
  }

  #isTooBad(): boolean {
    if (this.#inARow >= failuresInARow) return true
    const [oldest] = this.#results
    if (!oldest || this.#results.length < judged.results || oldest.at < this.#clock.elapsed() - judged.withinMs) return false
    return this.#results.filter(({ failed }) => failed).length >= judged.failures
  }
}

/** One for each endpoint; what has not been used for longest is forgotten first. */
export class CircuitBreakers {
  readonly #clock: Clock
  readonly #breakers = new Map<string, CircuitBreaker>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Accounts that share an address do not share a breaker: their keys differ, so one may fail where the other does not. */
  of(accountId: string, url: string): CircuitBreaker {
    const key = `${accountId} ${url}`
    const breaker = this.#breakers.get(key) ?? new CircuitBreaker(this.#clock)
    this.#breakers.delete(key)
    this.#breakers.set(key, breaker)
    const [first] = this.#breakers.keys()
    if (this.#breakers.size > mostEndpoints && first !== undefined) this.#breakers.delete(first)
    return breaker
  }
}
