import type { Clock } from '#core/kernel/ports/platform.ts'
import { TokenBucket, type TokenRate } from '#core/kernel/token-bucket.ts'
import { mix, secret, type Random } from './source-table.ts'

/**
 * Kinds of messages from unproven sources, by their first bytes: each has a separate limit, so that a flood of one leaves room for the
 * others.
 */
export type UnprovenKind = 'register' | 'request' | 'response' | 'stream'

/** Limits for all unproven sources together. An answer costs about 0.2 ms of the main thread. */
const RATES: Readonly<Record<UnprovenKind, TokenRate>> = {
  /** New phones: a thousand together, as after a power cut. */
  register: { burst: 1_000, perSecond: 500 },
  request: { burst: 400, perSecond: 200 },
  /** Cheaper: a response gets no answer. */
  response: { burst: 1_000, perSecond: 500 },
  /** Connections, whose sources are not forged. */
  stream: { burst: 1_000, perSecond: 500 },
}
/** Sockets that repeat a dropped message. */
const RETRIED: TokenRate = { burst: 200, perSecond: 200 }

/** A phone repeats its request after T1, 500 ms (RFC 3261 §17.1), and gives up after 64 × T1. */
const MIN_RETRY_MS = 400
const MAX_RETRY_MS = 32_000

const CELLS = 2 ** 17
const TICK_MS = 100

/**
 * Limit for all unproven sources together. A forged source looks like a new phone; but a phone repeats an unanswered request from the same
 * socket, and a flood of random sources does not. So a dropped message leaves a mark in a table of fixed size, and its socket is admitted
 * at the next message.
 */
export class UnprovenLimit {
  readonly #clock: Clock
  readonly #buckets: Readonly<Record<UnprovenKind, TokenBucket>>
  readonly #retried: TokenBucket
  /** Each cell has 16 bits that identify a socket, never 0, and the time of its first message in ticks of 100 ms. */
  readonly #marks = new Uint32Array(CELLS)
  readonly #seed: number
  readonly #startedAt: number

  constructor(clock: Clock, random: Random) {
    const now = clock.now()
    this.#clock = clock
    this.#startedAt = now
    this.#seed = secret(random)
    this.#retried = new TokenBucket(RETRIED, now)
    const full = (kind: UnprovenKind) => new TokenBucket(RATES[kind], now)
    this.#buckets = { register: full('register'), request: full('request'), response: full('response'), stream: full('stream') }
  }

  /** `socket`: see `sourceNumber`. */
  admits(kind: UnprovenKind, socket: number): boolean {
    const now = this.#clock.now()
    if (this.#buckets[kind].take(RATES[kind], now)) return true
    return this.#isRetry(socket, now) && this.#retried.take(RETRIED, now)
  }

  /** Whether a message of this socket was dropped a while ago. If not, leaves a mark. */
  #isRetry(socket: number, now: number): boolean {
    const hash = mix(socket ^ this.#seed)
    const cell = hash % CELLS
    const name = (hash >>> 17) | 0x8000
    const tick = Math.floor((now - this.#startedAt) / TICK_MS) & 0xffff
    const mark = this.#marks[cell] ?? 0
    const ageMs = ((tick - mark) & 0xffff) * TICK_MS
    if (mark >>> 16 === name && ageMs <= MAX_RETRY_MS) return ageMs >= MIN_RETRY_MS
    this.#marks[cell] = (name << 16) | tick
    return false
  }
}
