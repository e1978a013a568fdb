import type { Bus, Clock } from '#core/kernel/ports/platform.ts'

const failuresInARow = 5
const judged = { results: 20, withinMs: 30_000, failures: 10 }
const retryAfterMs = 10_000
const maxEndpoints = 10_000

/** Fails fast instead of letting callers wait for an unavailable endpoint. */
export class CircuitBreaker {
  readonly #clock: Clock
  #inARow = 0
  /** Recent results with their time. */
  #results: { at: number; failed: boolean }[] = []
  #openUntil: number | undefined
  #trying = false

  readonly #changed: (open: boolean) => void

  /** `changed`: called when a local result opens or closes the breaker. */
  constructor(clock: Clock, changed: (open: boolean) => void = () => {}) {
    this.#clock = clock
    this.#changed = changed
  }

  get isOpen(): boolean {
    return this.#openUntil !== undefined
  }

  /** Applies a change from another process. */
  follow(open: boolean): void {
    if (!open) this.#close()
    else this.#openUntil ??= this.#clock.elapsed() + retryAfterMs
  }

  /** Milliseconds until an attempt is allowed; 0 means now. An admitted attempt must report its outcome. */
  admit(): number {
    if (this.#openUntil === undefined) return 0
    const wait = this.#openUntil - this.#clock.elapsed()
    if (wait > 0) return wait
    if (this.#trying) return retryAfterMs
    this.#trying = true // only one probe; the others wait for its result
    return 0
  }

  succeeded(): void {
    if (this.#openUntil !== undefined) {
      this.#close()
      this.#changed(false)
    }
    this.#inARow = 0
    this.#note(false)
  }

  failed(): void {
    this.#inARow++
    this.#note(true)
    const wasOpen = this.#openUntil !== undefined
    if (wasOpen || this.#isTooBad()) this.#openUntil = this.#clock.elapsed() + retryAfterMs
    this.#trying = false
    if (!wasOpen && this.#openUntil !== undefined) this.#changed(true)
  }

  /** The admitted attempt gave no result. */
  withdrawn(): void {
    this.#trying = false
  }

  #close(): void {
    this.#openUntil = undefined
    this.#trying = false
    this.#inARow = 0
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

interface BreakerEvent {
  key: string
  open: boolean
}

const subject = 'state.breakers'

/** One breaker per endpoint, least recently used evicted first. Processes share their results. */
export class CircuitBreakers {
  readonly #clock: Clock
  readonly #bus: Bus | undefined
  readonly #breakers = new Map<string, CircuitBreaker>()
  readonly #notListening: () => void

  constructor(clock: Clock, bus?: Bus) {
    this.#clock = clock
    this.#bus = bus?.alone === false ? bus : undefined
    const heard = ({ key, open }: BreakerEvent): void => (open ? this.#at(key) : this.#breakers.get(key))?.follow(open)
    this.#notListening = this.#bus?.hear(subject, (news) => heard(news as BreakerEvent)) ?? (() => {})
  }

  /** Accounts with the same address have separate breakers: their keys differ, so one may fail where the other does not. */
  of(accountId: string, url: string): CircuitBreaker {
    return this.#at(`${accountId} ${url}`)
  }

  /** Number of endpoints whose breaker is open. */
  get open(): number {
    return [...this.#breakers.values()].filter(({ isOpen }) => isOpen).length
  }

  close(): void {
    this.#notListening()
  }

  #at(key: string): CircuitBreaker {
    const notify = (open: boolean): void => this.#bus?.notify(subject, { key, open } satisfies BreakerEvent)
    const breaker = this.#breakers.get(key) ?? new CircuitBreaker(this.#clock, notify)
    this.#breakers.delete(key)
    this.#breakers.set(key, breaker)
    const [first] = this.#breakers.keys()
    if (this.#breakers.size > maxEndpoints && first !== undefined) this.#breakers.delete(first)
    return breaker
  }
}
