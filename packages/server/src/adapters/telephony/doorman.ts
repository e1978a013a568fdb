import { addressBlock } from '../../core/identity/address-block.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { BoundedMap } from '../../core/bounded-map.ts'
import { isScanner, isSipResponse } from './first-glance.ts'

export interface DoormanOptions {
  clock: Clock
  /** Sources without limits: trunks, our own proxy. Asked once for each address until `recheck`. */
  trusted: (address: string) => boolean
  onBan?: (address: string, why: string) => void
}

const BURST = 16
const REFILL_PER_MS = 8 / 1000
/** Responses answer what we asked, so many are fine; a flood of them is not. */
const RESPONSE_COST = 0.1
/** A whole office behind one address, once a phone of it proved who it is. */
const PROVEN_FACTOR = 10
const BAN_MS = 300_000
const MOST_FAILURES = 10
const FAILURE_WINDOW_MS = 60_000
const MOST_SOURCES = 20_000
const MOST_CONNECTIONS = 20

interface Source {
  tokens: number
  filledAt: number
  proven: boolean
  failures: Failures
}

interface Failures {
  count: number
  since: number
}

/** Decides who is listened to, before anything is parsed. All state is bounded; a source that is banned costs two looks into maps. */
export class Doorman {
  readonly #clock: Clock
  readonly #trusted: (address: string) => boolean
  readonly #onBan: (address: string, why: string) => void
  readonly #trust = new BoundedMap<string, boolean>(MOST_SOURCES)
  readonly #bannedUntil = new BoundedMap<string, number>(MOST_SOURCES)
  readonly #sources = new BoundedMap<string, Source>(MOST_SOURCES)
  /** By address and user name: one phone with a wrong password must not shut out the office around it. */
  readonly #guesses = new BoundedMap<string, Failures>(MOST_SOURCES)

  constructor({ clock, trusted, onBan = () => {} }: DoormanOptions) {
    this.#clock = clock
    this.#trusted = trusted
    this.#onBan = onBan
  }

  /** Whether this message is to be looked at. What is not gets no answer at all. */
  admits(message: Uint8Array, address: string): boolean {
    if (this.#isTrusted(address)) return true
    const block = addressBlock(address)
    if (this.#isBanned(block)) return false
    const source = this.#source(block)
    if (isSipResponse(message)) return this.#take(source, RESPONSE_COST) || this.#ban(block, 'too many messages')
    if (!this.#take(source, 1)) return this.#ban(block, 'too many messages')
    // Only dropped: a ban for one message would let anybody shut out others in whose name they send it.
    return !isScanner(message)
  }

  /** How many connections somebody there may hold. */
  connectionsFor(address: string): number {
    if (this.#isTrusted(address)) return Number.POSITIVE_INFINITY
    const block = addressBlock(address)
    if (this.#isBanned(block)) return 0
    return this.#sources.get(block)?.proven ? MOST_CONNECTIONS * PROVEN_FACTOR : MOST_CONNECTIONS
  }

  /** A message could not be read: it counts twice. */
  malformed(address: string): void {
    if (this.#isTrusted(address)) return
    const block = addressBlock(address)
    if (!this.#take(this.#source(block), 1)) this.#ban(block, 'malformed messages')
  }

  /** Counts a password before it is checked, so that a hundred at once are no way around the limit. */
  mayTryPassword(address: string, username: string): boolean {
    if (this.#isTrusted(address)) return true
    const block = addressBlock(address)
    if (this.#isBanned(block)) return false
    const source = this.#source(block)
    const guesses = this.#guessesOf(block, username)
    const fromHere = this.#count(source.failures)
    const forUser = this.#count(guesses)
    if (fromHere > MOST_FAILURES * (source.proven ? PROVEN_FACTOR : 1)) return this.#ban(block, 'wrong passwords')
    return forUser <= MOST_FAILURES
  }

  passwordWasRight(address: string, username: string): void {
    const block = addressBlock(address)
    const source = this.#source(block)
    source.proven = true
    source.failures.count = Math.max(0, source.failures.count - 1)
    this.#guesses.delete(guessKey(block, username))
  }

  /** Who is trusted has changed. */
  recheck(): void {
    this.#trust.clear()
  }

  #isTrusted(address: string): boolean {
    const known = this.#trust.get(address)
    if (known !== undefined) return known
    const trusted = this.#trusted(address)
    this.#trust.set(address, trusted)
    return trusted
  }

  #isBanned(block: string): boolean {
    const until = this.#bannedUntil.get(block)
    if (until === undefined) return false
    const left = until - this.#clock.now()
    if (left > 0 && left <= BAN_MS) return true // more is left only when the clock was put back
    this.#bannedUntil.delete(block)
    return false
  }

  #ban(block: string, why: string): false {
    this.#bannedUntil.set(block, this.#clock.now() + BAN_MS)
    this.#sources.delete(block)
    this.#onBan(block, why)
    return false
  }

  #source(block: string): Source {
    const known = this.#sources.get(block)
    if (known) return known
    const now = this.#clock.now()
    const source = { tokens: BURST, filledAt: now, proven: false, failures: { count: 0, since: now } }
    this.#sources.set(block, source)
    return source
  }

  #take(source: Source, cost: number): boolean {
    const now = this.#clock.now()
    source.tokens = Math.min(BURST, source.tokens + Math.max(0, now - source.filledAt) * REFILL_PER_MS)
    source.filledAt = now
    source.tokens -= source.proven ? cost / PROVEN_FACTOR : cost
    return source.tokens >= 0
  }

  #guessesOf(block: string, username: string): Failures {
    const key = guessKey(block, username)
    const known = this.#guesses.get(key)
    if (known) return known
    const fresh = { count: 0, since: this.#clock.now() }
    this.#guesses.set(key, fresh)
    return fresh
  }

  #count(failures: Failures): number {
    const now = this.#clock.now()
    if (Math.abs(now - failures.since) >= FAILURE_WINDOW_MS) {
      failures.since = now
      failures.count = 0
    }
    return ++failures.count
  }
}

const guessKey = (block: string, username: string): string => `${block} ${username.slice(0, 64)}`
