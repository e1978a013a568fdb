import { addressBlock } from '#core/kernel/network/address-block.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { RegisteredFlow } from '#core/kernel/ports/store/device.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import { TokenBuckets, type TokenRate } from '#core/kernel/token-bucket.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { glanceAt, isInvite, isRegister, isScanner, isSipResponse, type Glance } from './first-glance.ts'
import { sourceNumber, SourceTable, type Random } from './source-table.ts'
import { UnprovenLimit, type UnprovenKind } from './unproven-limit.ts'

interface SourceFilterOptions {
  clock: Clock
  /** Sources without limits: our own proxies. Called for every message. */
  trusted: (address: string) => boolean
  /** Sources with a limit for calls only. Called for every message. */
  isTrunk?: (address: string) => boolean
  /** `source`: the banned source, as other nodes name it. */
  onBan?: (address: string, why: string, source: string) => void
  /** Called at most once a minute while rate-limited sources are dropped. */
  onFlood?: (address: string) => void
  /** All unproven sources together exceed their limit; `dropped` messages since the last report. Reported once a minute. */
  onUnprovenFlood?: (dropped: number) => void
  /** For the positions of sources in tables; default: `Math.random`. */
  random?: Random
}

/** Reason for a drop: the source guesses passwords; the source, all unproven ones or a trunk send too many; or a scanner. */
export type DropReason = 'ban' | 'source' | 'unproven' | 'trunk' | 'scanner'

/** Proof of an existing dialog or challenge. */
export interface Expected {
  /** Within one of our dialogs, or the response to our request. */
  message(glance: Glance): boolean
  /** With a nonce that we sent to this source. */
  nonce(nonce: string, from: Flow): boolean
}

/** One socket of an unauthenticated source. */
const STRANGER: TokenRate = { burst: 60, perSecond: 20 }
/** All such sockets of an address: an office after a power cut. */
const STRANGERS: TokenRate = { burst: 120, perSecond: 40 }
/** A socket with an authenticated phone: a sender that does not know its port cannot use this up. */
const PHONE: TokenRate = { burst: 1_000, perSecond: 500 }
/** Answered INVITEs of a trunk's address: its bursts of calls (ten times 100 a second) and as many rejected ones. */
const TRUNK_INVITES: TokenRate = { burst: 2_000, perSecond: 1_000 }
/** Responses answer our requests, so many of them are fine; a flood is not. */
const RESPONSE_COST = 0.125
/** A whole office behind one address, once one of its phones authenticated; and every connection, since its source cannot be forged. */
const PROVEN_FACTOR = 10
const BAN_MS = 300_000
const MOST_FAILURES = 10
const FAILURE_WINDOW_MS = 60_000
const REPORT_EVERY_MS = 60_000
const MOST_SOURCES = 20_000
const MOST_PHONES = 100_000
const MOST_CONNECTIONS = 50
const MOST_TRUNKS = 1_000
/** Distinguishes connections from datagrams in the table of sources. */
const STREAM = 0x5bd1e995

interface Failures {
  count: number
  since: number
}

/**
 * Decides which messages are processed, before any parsing. All state is bounded. Excess messages are dropped without further effect: over
 * UDP the source can be forged. A source is banned for guessing passwords, with nonces that only reach an existing address; a ban over UDP
 * applies to UDP only. Limits apply per source and for all unproven ones together (`UnprovenLimit`).
 */
export class SourceFilter {
  readonly #clock: Clock
  readonly #options: SourceFilterOptions
  /** Dropped messages by reason. */
  readonly dropped: Record<DropReason, number> = { ban: 0, source: 0, unproven: 0, trunk: 0, scanner: 0 }
  readonly #bannedUntil = new BoundedMap<string, number>(MOST_SOURCES)
  readonly #failures = new BoundedMap<string, Failures>(MOST_SOURCES)
  /** By source and user name: one phone with a wrong password must not lock out its office. */
  readonly #guesses = new BoundedMap<string, Failures>(MOST_SOURCES)
  /** Sources with a right password, each with its user name. */
  readonly #users = new BoundedMap<string, true>(MOST_PHONES)
  readonly #phones = new BoundedMap<string, true>(MOST_PHONES)
  readonly #provenBlocks = new BoundedMap<string, true>(MOST_PHONES)
  readonly #sockets: SourceTable
  readonly #sources: SourceTable
  readonly #unproven: UnprovenLimit
  readonly #proven: TokenBuckets
  readonly #trunks: TokenBuckets
  #expected: Expected = { message: () => false, nonce: () => false }
  #floodReportedAt = Number.NEGATIVE_INFINITY
  #unprovenReportedAt = Number.NEGATIVE_INFINITY
  #unprovenReported = 0

  constructor(options: SourceFilterOptions) {
    const { clock, random = Math.random } = options
    this.#clock = clock
    this.#options = options
    this.#sockets = new SourceTable(clock, random)
    this.#sources = new SourceTable(clock, random)
    this.#unproven = new UnprovenLimit(clock, random)
    this.#proven = new TokenBuckets(clock, MOST_PHONES)
    this.#trunks = new TokenBuckets(clock, MOST_TRUNKS)
  }

  /** Sets the lookup of dialogs and nonces; until then no message is expected. */
  expect(expected: Expected): void {
    this.#expected = expected
  }

  /** Whether this message is processed. Others get no answer at all. */
  admits(message: Uint8Array, from: Flow): boolean {
    if (this.#options.trusted(from.address)) return true
    const objection = this.#objectionTo(message, from)
    if (objection === undefined) return true
    // Only dropped: a ban for one message would let an attacker lock out forged sources.
    if (objection !== 'scanner' && this.#isExpected(message, from)) return true
    this.dropped[objection]++
    if (objection === 'unproven') this.#reportUnproven()
    else if (objection !== 'scanner') this.#reportFlood(from.address)
    return false
  }

  /** Maximum connections of this address. */
  connectionsFor(address: string): number {
    if (this.#isTrusted(address)) return Number.POSITIVE_INFINITY
    const block = addressBlock(address)
    if (this.#isBanned(`stream ${block}`)) return 0
    return this.#provenBlocks.get(block) ? MOST_CONNECTIONS * PROVEN_FACTOR : MOST_CONNECTIONS
  }

  /** A malformed message counts twice. */
  malformed(from: Flow): void {
    if (!this.#isTrusted(from.address)) this.#objectionOfSource(from, 1, this.#isProven(from))
  }

  /** Scope in which a nonce sent there is valid: only its receiver knows it, so a request with it is not forged. */
  placeOf({ kind, address }: Flow): string {
    return kind !== 'udp' || this.#isTrusted(address) ? '' : addressBlock(address)
  }

  /**
   * Key under which passwords are checked one after the other, so that a hundred concurrent ones cannot bypass the limit; undefined: no
   * limit.
   */
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

  /** A phone that authenticated, now or before our start. */
  phoneIsAt(from: RegisteredFlow): void {
    this.#phones.set(socketOf(from), true)
    this.#provenBlocks.set(addressBlock(from.address), true)
  }

  /** Drops everything from there for a while, except from authenticated phones. */
  ban(source: string): void {
    this.#bannedUntil.set(source, this.#clock.now() + BAN_MS)
    this.#failures.delete(source)
  }

  #isTrusted(address: string): boolean {
    return this.#options.trusted(address) || this.#isTrunk(address)
  }

  #isTrunk(address: string): boolean {
    return this.#options.isTrunk?.(address) ?? false
  }

  #objectionTo(message: Uint8Array, from: Flow): DropReason | undefined {
    if (this.#isTrunk(from.address)) return isInvite(message) && !this.#trunks.take(from.address, TRUNK_INVITES) ? 'trunk' : undefined
    const isProven = this.#isProven(from)
    const objection = this.#objectionOfSource(from, isSipResponse(message) ? RESPONSE_COST : 1, isProven)
    if (objection !== undefined) return objection
    if (!isProven && !this.#unproven.admits(kindOf(message, from), sourceNumber(from.address, from.port))) return 'unproven'
    return isScanner(message) ? 'scanner' : undefined
  }

  /** Authenticated phones have a bucket of their own, independent of floods and bans of their address. */
  #objectionOfSource(from: Flow, cost: number, isProven: boolean): DropReason | undefined {
    const phone = isProven ? socketOf(from) : ''
    if (isProven && this.#phones.get(phone)) return this.#proven.take(phone, PHONE, cost) ? undefined : 'source'
    if (this.#bannedUntil.size > 0 && this.#isBanned(sourceOf(from))) return 'ban'
    const { kind, address, port } = from
    const block = sourceNumber(addressBlock(address)) ^ (kind === 'udp' ? 0 : STREAM)
    const rate = kind !== 'udp' || isProven ? ALL_PROVEN : STRANGERS
    const isInRate = this.#sockets.take(sourceNumber(address, port), STRANGER, cost) && this.#sources.take(block, rate, cost)
    return isInRate ? undefined : 'source'
  }

  /** A phone has authenticated at this address. */
  #isProven({ address }: Flow): boolean {
    return this.#provenBlocks.get(addressBlock(address)) === true
  }

  #isExpected(message: Uint8Array, from: Flow): boolean {
    const glance = glanceAt(message)
    if (this.#expected.message(glance)) return true
    if (glance.nonce === undefined || !this.#expected.nonce(glance.nonce, from)) return false
    // Every real source can get such nonces, so they have a limit, too.
    return this.#proven.take(sourceOf(from), from.kind !== 'udp' || this.#isProven(from) ? ALL_PROVEN : STRANGERS)
  }

  #isBanned(source: string): boolean {
    const until = this.#bannedUntil.get(source)
    if (until === undefined) return false
    const left = until - this.#clock.now()
    if (left > 0 && left <= BAN_MS) return true // more is left only after the clock was set back
    this.#bannedUntil.delete(source)
    return false
  }

  #reportFlood(address: string): void {
    const now = this.#clock.now()
    if (Math.abs(now - this.#floodReportedAt) < REPORT_EVERY_MS) return
    this.#floodReportedAt = now
    this.#options.onFlood?.(address)
  }

  #reportUnproven(): void {
    const now = this.#clock.now()
    if (Math.abs(now - this.#unprovenReportedAt) < REPORT_EVERY_MS) return
    const dropped = this.dropped.unproven
    this.#unprovenReportedAt = now
    this.#options.onUnprovenFlood?.(dropped - this.#unprovenReported)
    this.#unprovenReported = dropped
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

/** The source of a datagram may be forged, that of a connection is real: each has separate limits and bans. */
const sourceOf = ({ kind, address }: Flow): string => `${kind === 'udp' ? 'udp' : 'stream'} ${addressBlock(address)}`

const socketOf = ({ kind, address, port }: RegisteredFlow): string => `${kind} ${address} ${port}`

const kindOf = (message: Uint8Array, { kind }: Flow): UnprovenKind => {
  if (kind !== 'udp') return 'stream'
  if (isSipResponse(message)) return 'response'
  return isRegister(message) ? 'register' : 'request'
}

const guessKey = (source: string, username: string): string => `${source} ${username.slice(0, 64)}`
