import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { SipIdentity } from '#core/kernel/ports/store/device/registrations.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { DigestAlgorithm } from '@offhook/sip/digest/digest.ts'
import { DigestServer, type DigestClaim, type DigestVerdict } from '@offhook/sip/digest/digest-server.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import { SipError } from '@offhook/sip/grammar/sip-error.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { SourceFilter } from './source-filter.ts'
import type { Edge } from './edge.ts'
import { Turns } from './turns.ts'

export interface DeviceAuthenticatorOptions {
  clock: Clock
  store: Store
  vault: Vault
  sourceFilter: SourceFilter
  edge: Edge
  realm: string
  /** What phones are challenged with. Many give up at a challenge that they do not know, instead of passing over it (RFC 8760 §2.4). */
  algorithms: readonly DigestAlgorithm[]
  onError: (error: unknown) => void
}

/** The device that sent a request, proven, or the response that it gets instead. */
export type Proof = Proven | SipRejection

export interface Proven {
  device: ProvenDevice
  identity: SipIdentity
  /** By what was known of the device some time ago, see `confirms`. */
  remembered: boolean
}

export interface ProvenDevice {
  accountId: string
  deviceId: string
  username: string
}

/** A flood must not pile up in front of the database. */
const MOST_AT_ONCE = 100
/**
 * When a wrong password is answered, counted from its arrival: the few microseconds by which the database finds a user sooner or later
 * than none are not seen then. In real time, since an attacker measures it in real time.
 */
const REFUSAL_MS = 25
const MOST_REMEMBERED = 100_000
const LATER = [['Retry-After', '5']] as const

/** Proves by digest that a request comes from a device of an account. */
export class DeviceAuthenticator {
  readonly #options: DeviceAuthenticatorOptions
  readonly #digest: DigestServer
  /** Opened for users that do not exist, so that their answer takes as long as a wrong password. */
  readonly #decoy: string
  readonly #turns = new Turns()
  /** By user name. */
  readonly #remembered = new BoundedMap<string, SipIdentity>(MOST_REMEMBERED)
  #running = 0

  constructor(options: DeviceAuthenticatorOptions) {
    const { clock, vault, realm } = options
    this.#options = options
    this.#digest = new DigestServer({ realm, key: vault.derive('sip nonces'), now: () => clock.now() })
    this.#decoy = vault.seal(randomBytes(18).toString('base64url'))
  }

  get realm(): string {
    return this.#digest.realm
  }

  /**
   * The challenge to a request that proves nothing, or tries to with a nonce that is not ours or too old: no device is looked up for it.
   * Throws SipError for what cannot be read.
   */
  admit(request: Request, from: Flow): SipRejection | undefined {
    const claim = this.#claim(request, this.#options.edge.sourceOf(request, from))
    return 'status' in claim ? claim : undefined
  }

  /** Whether this nonce was sent there a short while ago. */
  challenged(nonce: string, from: Flow): boolean {
    return this.#digest.holds(nonce, this.#options.sourceFilter.placeOf(from))
  }

  /** Never rejects. `mayRemember`: the caller makes sure that what proves it is still so. */
  async prove(request: Request, from: Flow, { mayRemember = false } = {}): Promise<Proof> {
    const refusal = performance.now() + REFUSAL_MS
    const source = this.#options.edge.sourceOf(request, from)
    const proof = await this.#proveNow(request, source, mayRemember)
    if (proof !== 'wrong') return proof
    await sleep(Math.max(0, refusal - performance.now()))
    return this.#challenge(source)
  }

  /** Whether the device may still do what it proved to be allowed to, if that was by what was remembered of it. */
  async confirms({ device, identity, remembered }: Proven): Promise<boolean> {
    if (!remembered) return true
    const { store, vault } = this.#options
    const now = await this.#lookUp(device.username, store)
    return now?.deviceId === identity.deviceId && vault.open(now.passwordSealed) === vault.open(identity.passwordSealed)
  }

  /** What a request gets that proves nothing. */
  challenge(request: Request, from: Flow): SipRejection {
    return this.#challenge(this.#options.edge.sourceOf(request, from))
  }

  async #lookUp(username: string, { read }: Store): Promise<SipIdentity | undefined> {
    const identity = await read.devices.findBySipUsername(username)
    if (identity) this.#remembered.set(username, identity)
    else this.#remembered.delete(username)
    return identity
  }

  async #proveNow(request: Request, from: Flow, mayRemember: boolean): Promise<Proof | 'wrong'> {
    if (this.#running >= MOST_AT_ONCE) return { status: 503, headers: LATER }
    this.#running++
    try {
      const claim = this.#claim(request, from)
      if ('status' in claim) return claim
      return await this.#turns.take(this.#options.sourceFilter.queueOf(from), () => this.#check(claim, request, { from, mayRemember }))
    } catch (error) {
      return this.#failure(error)
    } finally {
      this.#running--
    }
  }

  #claim(request: Request, from: Flow): DigestClaim | SipRejection {
    const place = this.#options.sourceFilter.placeOf(from)
    const claim = this.#digest.claim([...request.lines('authorization'), ...request.lines('proxy-authorization')], place)
    if (!claim) return this.#challenge(from)
    return this.#digest.isFresh(claim) ? claim : this.#challenge(from, { stale: true })
  }

  async #check(
    claim: DigestClaim,
    request: Request,
    { from, mayRemember }: { from: Flow; mayRemember: boolean },
  ): Promise<Proof | 'wrong'> {
    const { sourceFilter, store } = this.#options
    const { username } = claim
    if (!sourceFilter.mayTryPassword(from, username)) return { status: 403, headers: [] }
    const remembered = mayRemember ? this.#remembered.get(username) : undefined
    const before = remembered && this.#verdict(claim, request, remembered)
    const identity = before === undefined || before === 'wrong' ? await this.#lookUp(username, store) : remembered
    const verdict = before === undefined || before === 'wrong' ? this.#verdict(claim, request, identity) : before
    if (verdict === 'wrong' || !identity) return 'wrong'
    sourceFilter.passwordWasRight(from, username)
    if (verdict === 'stale') return this.#challenge(from, { stale: true })
    return { device: deviceOf(identity, username), identity, remembered: identity === remembered }
  }

  #verdict(claim: DigestClaim, request: Request, identity: SipIdentity | undefined): DigestVerdict {
    return this.#digest.check(claim, request, { password: this.#options.vault.open(identity?.passwordSealed ?? this.#decoy) })
  }

  #challenge(from: Flow, options: { stale?: boolean } = {}): SipRejection {
    const { algorithms, sourceFilter } = this.#options
    const challenges = this.#digest.challenges({ ...options, algorithms, source: sourceFilter.placeOf(from) })
    return { status: 401, headers: challenges.map((value) => ['WWW-Authenticate', value]) }
  }

  #failure(error: unknown): SipRejection {
    if (error instanceof SipError) return { status: error.status, headers: [] }
    this.#options.onError(error)
    return error instanceof StoreUnavailable ? { status: 503, headers: LATER } : { status: 500, headers: [] }
  }
}

const deviceOf = ({ accountId, deviceId }: SipIdentity, username: string): ProvenDevice => ({ accountId, deviceId, username })
