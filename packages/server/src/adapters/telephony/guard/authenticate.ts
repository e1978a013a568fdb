import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { EdgeAttempt } from '#core/kernel/ports/telephony.ts'
import type { SipIdentity } from '#core/kernel/ports/store/device.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import type { DigestAlgorithm } from '@offhook/sip/digest/digest.ts'
import { DigestServer, type DigestClaim, type DigestVerdict } from '@offhook/sip/digest/digest-server.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import { SipError } from '@offhook/sip/grammar/scan.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import type { SourceFilter } from './source-filter.ts'
import { isIP } from 'node:net'

interface DeviceAuthenticatorOptions {
  clock: Clock
  store: Store
  vault: Vault
  sourceFilter: SourceFilter
  edge: Edge
  realm: string
  /** Algorithms of the challenges. Many phones give up at an unknown challenge instead of skipping it (RFC 8760 §2.4). */
  algorithms: readonly DigestAlgorithm[]
  onError: (error: unknown) => void
}

/** The authenticated device of a request, or the rejection. */
type Proof = Proven | SipRejection

export interface Proven {
  device: ProvenDevice
  identity: SipIdentity
  /** Authenticated by cached data, see `confirms`. */
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
 * Milliseconds from the arrival of a wrong password to its answer: hides whether the database found a user. Real time, because an attacker
 * measures real time.
 */
const REFUSAL_MS = 25
const MOST_REMEMBERED = 100_000
const LATER = [['Retry-After', '5']] as const

/** Authenticates by digest that a request comes from an account's device. */
export class DeviceAuthenticator {
  readonly #options: DeviceAuthenticatorOptions
  readonly #digest: DigestServer
  /** Opened for unknown users, so that their answer takes as long as a wrong password. */
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
   * The challenge for a request without credentials, or with a foreign or expired nonce: no device is looked up for it. Throws SipError for
   * an unreadable request.
   */
  admit(request: Request, from: Flow): SipRejection | undefined {
    const claim = this.#claim(request, this.#options.edge.sourceOf(request, from))
    return 'status' in claim ? claim : undefined
  }

  /** Whether this nonce was recently sent there. */
  challenged(nonce: string, from: Flow): boolean {
    return this.#digest.holds(nonce, this.#options.sourceFilter.placeOf(from))
  }

  /** Never rejects. `mayRemember`: the caller confirms cached data later. */
  async prove(request: Request, from: Flow, { mayRemember = false } = {}): Promise<Proof> {
    const refusal = performance.now() + REFUSAL_MS
    const source = this.#options.edge.sourceOf(request, from)
    const proof = await this.#proveNow(request, source, mayRemember)
    if (proof !== 'wrong') return proof
    await sleep(Math.max(0, refusal - performance.now()))
    return this.#challenge(source)
  }

  /** Whether the device is still allowed to do this, if it was authenticated by cached data. */
  async confirms({ device, identity, remembered }: Proven): Promise<boolean> {
    if (!remembered) return true
    const { store, vault } = this.#options
    const now = await this.#lookUp(device.username, store)
    return now?.deviceId === identity.deviceId && vault.open(now.passwordSealed) === vault.open(identity.passwordSealed)
  }

  /** The response to an unauthenticated request. */
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

/** Runs work with the same key one after the other, in order. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs immediately without a key. */
  async take<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    if (key === undefined) return work()
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work, work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}

const kinds: readonly string[] = ['udp', 'tcp', 'tls', 'ws', 'wss'] satisfies TransportKind[]

/** `ws:203.0.113.7:5060`, `udp:[2001:db8::7]:5060`; undefined for anything else. */
export const readFlow = (text: string): Flow | undefined => {
  const match = /^([a-z]{2,3}):\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(text.trim())
  const [kind = '', address = '', port] = [match?.[1]?.toLowerCase(), match?.[2], Number(match?.[3])]
  return kinds.includes(kind) && isIP(address) !== 0 && port <= 65_535 ? { kind: kind as TransportKind, address, port } : undefined
}

export const writeFlow = ({ kind, address, port }: Flow): string => `${kind}:${address.includes(':') ? `[${address}]` : address}:${port}`

const maxLeaseSeconds = 3600

/**
 * Our SIP proxy in front of all processes. It terminates the phones’ connections, so only it knows the source and the carrier of a request;
 * the same headers from others are ignored.
 */
export class Edge {
  readonly #holds: (address: string) => boolean

  constructor(holds: (address: string) => boolean) {
    this.#holds = holds
  }

  isAt({ address }: Flow): boolean {
    return this.#holds(address)
  }

  /** The real source of a request. */
  sourceOf(request: Request, from: Flow): Flow {
    return (this.isAt(from) && readFlow(request.header('x-offhook-edge') ?? '')) || from
  }

  /** Seconds for which the edge will answer refreshes itself; 0: none. */
  leaseOf(request: Request, from: Flow): number {
    const seconds = Number(request.header('x-offhook-lease') ?? 0)
    return this.isAt(from) && Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, maxLeaseSeconds) : 0
  }

  /**
   * The call that the edge asks for. It sends the same INVITE to another process when one does not respond, or cannot take it; an INVITE
   * with credentials, or a second try of the phone, has another CSeq. `X-Offhook-Again` counts the processes asked before.
   */
  attemptOf(request: Request, from: Flow): EdgeAttempt | undefined {
    if (!this.isAt(from)) return undefined
    const { callId, fromTag, cseq, target } = request
    const edgeCall = createHash('sha256').update([callId, fromTag, cseq.number, target.user].join('\n')).digest('base64url').slice(0, 24)
    const number = Math.max(0, ...request.list('x-offhook-again').map((count) => Number(count) || 0))
    return { edgeCall, number }
  }

  /** Trunks with the address that the edge saw, preferred first; empty unless it is a carrier. */
  trunksOf(request: Request, from: Flow): readonly string[] {
    if (!this.isAt(from)) return []
    return (request.header('x-offhook-trunk') ?? '').split(',').flatMap((id) => id.trim() || [])
  }
}
