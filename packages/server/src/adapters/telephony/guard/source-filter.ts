import { addressBlock } from '#core/kernel/network/address-block.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { RegisteredFlow } from '#core/kernel/ports/store/device/registrations.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import { TokenBuckets, type TokenRate } from '#core/kernel/token-bucket.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { glanceAt, isScanner, isSipResponse, type Glance } from './first-glance.ts'

export interface SourceFilterOptions {
  clock: Clock
  /** Sources without limits: trunks, our own proxy. Asked once for each address until `recheck`. */
  trusted: (address: string) => boolean
  /** `source`: what is banned, as other processes name it. */
  onBan?: (address: string, why: string, source: string) => void
  /** Messages from there are dropped because there are too many. Told once a minute for all sources together. */
  onFlood?: (address: string) => void
}

/** What only a peer can know that talks with us already. */
export interface Expected {
  /** In a dialog of ours, or the answer to what we asked. */
  message(glance: Glance): boolean
  /** With a nonce that we sent to where this comes from. */
  nonce(nonce: string, from: Flow): boolean
}

/** One socket of a source that has not authenticated. */
const STRANGER: TokenRate = { burst: 60, perSecond: 20 }
/** All such sockets of an address: an office where the power is back. */
const STRANGERS: TokenRate = { burst: 120, perSecond: 40 }
/** A socket where a phone authenticated: a sender that does not know its port cannot use this up. */
const PHONE: TokenRate = { burst: 1_000, perSecond: 500 }
/** Responses answer our requests, so a good number of them is fine; a flood is not. */
const RESPONSE_COST = 0.125
/** A whole office behind one address, once a phone of it authenticated; and every connection, since its source cannot be forged. */
const PROVEN_FACTOR = 10
const BAN_MS = 300_000
const MOST_FAILURES = 10
const FAILURE_WINDOW_MS = 60_000
const FLOOD_TOLD_MS = 60_000
const MOST_SOURCES = 20_000
const MOST_PHONES = 100_000
const MOST_CONNECTIONS = 50

interface Failures {
  count: number
  since: number
}

/**
 * Decides which messages are looked at, before anything is parsed. All state is bounded. Too many messages are dropped and lead to nothing else:
 * over UDP the source can be forged. A source is banned for guessing passwords, with nonces that only come to an address that is
 * really there; and a ban over UDP is one for UDP alone.
 */
export class SourceFilter {
  readonly #clock: Clock
  readonly #options: SourceFilterOptions
  readonly #trust = new BoundedMap<string, boolean>(MOST_SOURCES)
  readonly #bannedUntil = new BoundedMap<string, number>(MOST_SOURCES)
  readonly #failures = new BoundedMap<string, Failures>(MOST_SOURCES)
  /** By source and user name: one phone with a wrong password must not shut out the office around it. */
  readonly #guesses = new BoundedMap<string, Failures>(MOST_SOURCES)
  /** Sources where a password was right, each with its user name. */
  readonly #users = new BoundedMap<string, true>(MOST_PHONES)
  readonly #phones = new BoundedMap<string, true>(MOST_PHONES)
  readonly #provenBlocks = new BoundedMap<string, true>(MOST_PHONES)
  readonly #unknownSources: TokenBuckets
  readonly #proven: TokenBuckets
  #expected: Expected = { message: () => false, nonce: () => false }
  #floodToldAt = Number.NEGATIVE_INFINITY

  constructor(options: SourceFilterOptions) {
    this.#clock = options.clock
    this.#options = options
    this.#unknownSources = new TokenBuckets(options.clock, MOST_SOURCES)
    this.#proven = new TokenBuckets(options.clock, MOST_PHONES)
  }

  /** Sets what knows of dialogs and nonces; until then nothing is expected. */
  expect(expected: Expected): void {
    this.#expected = expected
  }

  /** Whether this message is to be looked at. What is not gets no answer at all. */
  admits(message: Uint8Array, from: Flow): boolean {
    if (this.#isTrusted(from.address)) return true
    // Only dropped: a ban for one message would let an attacker shut out others in whose name it is sent.
    if (this.#mayAsk(from, isSipResponse(message) ? RESPONSE_COST : 1)) return !isScanner(message)
    if (this.#isExpected(message, from)) return true
    this.#reportFlood(from.address)
    return false
  }

  /** How many connections this address may hold. */
  connectionsFor(address: string): number {
    if (this.#isTrusted(address)) return Number.POSITIVE_INFINITY
    const block = addressBlock(address)
    if (this.#isBanned(`stream ${block}`)) return 0
    return this.#provenBlocks.get(block) ? MOST_CONNECTIONS * PROVEN_FACTOR : MOST_CONNECTIONS
  }

  /** A message could not be read: it counts twice. */
  malformed(from: Flow): void {
    if (!this.#isTrusted(from.address)) this.#mayAsk(from, 1)
  }

  /** Where a nonce is good that is sent there: only its receiver sees it, so that a request with it is not forged. */
  placeOf({ kind, address }: Flow): string {
    return kind !== 'udp' || this.#isTrusted(address) ? '' : addressBlock(address)
  }

  /** Whose passwords are checked one after the other, so that a hundred at once are no way around the limit; undefined: without a limit. */
  queueOf(from: Flow): string | undefined {
    return this.#isTrusted(from.address) ? undefined : sourceOf(from)
  }

  /** Counts a password before it is checked. */
  mayTryPassword(from: Flow, username: string): boolean {
    if (this.#isTrusted(from.address)) return true
    const source = sourceOf(from)
    const key = guessKey(source, username)
    const forUser = this.#count(this.#guesses, key)
    if (this.#isBanned(source)) return this.#users.get(key) === true && forUser <= MOST_FAILURES
    const max = this.#provenBlocks.get(addressBlock(from.address)) ? MOST_FAILURES * PROVEN_FACTOR : MOST_FAILURES
    if (this.#count(this.#failures, source) > max) {
      this.ban(source)
      this.#options.onBan?.(from.address, 'wrong passwords', source)
      return false
    }
    return forUser <= MOST_FAILURES
  }

  passwordWasRight(from: Flow, username: string): void {
    const source = sourceOf(from)
    const failures = this.#failures.get(source)
    if (failures) failures.count = Math.max(0, failures.count - 1)
    const key = guessKey(source, username)
    this.#guesses.delete(key)
    this.#users.set(key, true)
    this.phoneIsAt(from)
  }

  /** A phone that authenticated, now or before we were started. */
  phoneIsAt(from: RegisteredFlow): void {
    this.#phones.set(socketOf(from), true)
    this.#provenBlocks.set(addressBlock(from.address), true)
  }

  /** For a while nothing from there is looked at, but from phones that authenticated. */
  ban(source: string): void {
    this.#bannedUntil.set(source, this.#clock.now() + BAN_MS)
    this.#failures.delete(source)
  }

  /** The trusted addresses have changed. */
  recheck(): void {
    this.#trust.clear()
  }

  #isTrusted(address: string): boolean {
    const known = this.#trust.get(address)
    if (known !== undefined) return known
    const trusted = this.#options.trusted(address)
    this.#trust.set(address, trusted)
    return trusted
  }

  /** Phones that authenticated have a bucket of their own, which neither a flood nor a ban of their address touches. */
  #mayAsk(from: Flow, cost: number): boolean {
    const socket = socketOf(from)
    if (this.#phones.get(socket)) return this.#proven.take(socket, PHONE, cost)
    const source = sourceOf(from)
    if (this.#isBanned(source)) return false
    return this.#unknownSources.take(socket, STRANGER, cost) && this.#unknownSources.take(source, this.#rateOf(from), cost)
  }

  #isExpected(message: Uint8Array, from: Flow): boolean {
    const glance = glanceAt(message)
    if (this.#expected.message(glance)) return true
    if (glance.nonce === undefined || !this.#expected.nonce(glance.nonce, from)) return false
    // Every real source can get such nonces, so even they do not open the door to a flood.
    return this.#proven.take(sourceOf(from), this.#rateOf(from))
  }

  #rateOf({ kind, address }: Flow): TokenRate {
    const isMore = kind !== 'udp' || this.#provenBlocks.get(addressBlock(address)) === true
    return isMore ? ALL_PROVEN : STRANGERS
  }

  #isBanned(source: string): boolean {
    const until = this.#bannedUntil.get(source)
    if (until === undefined) return false
    const left = until - this.#clock.now()
    if (left > 0 && left <= BAN_MS) return true // more is left only when the clock was put back
    this.#bannedUntil.delete(source)
    return false
  }

  #reportFlood(address: string): void {
    const now = this.#clock.now()
    if (Math.abs(now - this.#floodToldAt) < FLOOD_TOLD_MS) return
    this.#floodToldAt = now
    this.#options.onFlood?.(address)
  }

  #count(all: BoundedMap<string, Failures>, key: string): number {
    const now = this.#clock.now()
    const known = all.get(key)
    if (known && Math.abs(now - known.since) < FAILURE_WINDOW_MS) return ++known.count
    all.set(key, { count: 1, since: now })
    return 1
  }
}

const ALL_PROVEN: TokenRate = { burst: STRANGERS.burst * PROVEN_FACTOR, perSecond: STRANGERS.perSecond * PROVEN_FACTOR }

/** The source of a datagram may be forged, that of a connection is real: what one does is not held against the other. */
const sourceOf = ({ kind, address }: Flow): string => `${kind === 'udp' ? 'udp' : 'stream'} ${addressBlock(address)}`

const socketOf = ({ kind, address, port }: RegisteredFlow): string => `${kind} ${address} ${port}`

const guessKey = (source: string, username: string): string => `${source} ${username.slice(0, 64)}`
