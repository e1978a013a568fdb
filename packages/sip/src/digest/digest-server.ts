import { timingSafeEqual, createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { formatAuthParams, parseAuthHeader, digestHa1, digestResponse, readAlgorithm, type DigestAlgorithm } from './digest.ts'
import { type Params, SipError } from '../grammar/scan.ts'
import { parseUri } from '../grammar/uri.ts'

const timeBytes = 6
const randomLength = 10
const macBytes = 16
const stampLength = timeBytes + randomLength
/** Allowed clock skew between nodes. */
const clockSkewMs = 5_000

interface NonceOptions {
  /** The key that proves a nonce. Nodes that share it accept each other's nonces. */
  key: Uint8Array
  now: () => number
  lifetimeMs: number
  /** Maximum number of tracked nonces. */
  most: number
}

/** Used counts of one nonce: the highest, and a bitmap of the 31 below it. */
interface Use {
  highest: number
  window: number
  issuedAt: number
}

/**
 * Self-authenticating nonces: issuing one stores no state, so unknown sources cannot fill the memory. Each may be used once per count (nc).
 * The table of used nonces is bounded; when full it evicts the oldest, and nonces of that age or older are rejected.
 */
class Nonces {
  readonly #options: NonceOptions
  /** A raw key would be converted on every call, which costs four times as much as the HMAC. */
  readonly #key: KeyObject
  readonly #uses = new Map<string, Use>()
  #forgottenUntil = -1

  constructor(options: NonceOptions) {
    this.#options = options
    this.#key = createSecretKey(options.key)
  }

  /** `source`: address of the challenged peer; the nonce is invalid from any other. */
  issue(source: string): string {
    const nonce = Buffer.allocUnsafe(stampLength + macBytes)
    nonce.writeUIntBE(this.#options.now(), 0, timeBytes)
    randomBytes(randomLength).copy(nonce, timeBytes)
    this.#mac(nonce.subarray(0, stampLength), source).copy(nonce, stampLength)
    return nonce.toString('base64url')
  }

  /** Whether the nonce is ours and not expired. */
  isFresh(nonce: string, source: string): boolean {
    return this.#freshSince(nonce, source) !== undefined
  }

  /** Whether the nonce is ours, not expired and unused with this count. Marks it as used. */
  use(nonce: string, source: string, count: number): boolean {
    const issuedAt = this.#freshSince(nonce, source)
    if (issuedAt === undefined || count < 1) return false
    const use = this.#uses.get(nonce)
    if (use !== undefined) return advance(use, count)
    if (issuedAt <= this.#forgottenUntil) return false
    this.#remember(nonce, { highest: count, window: 1, issuedAt })
    return true
  }

  #freshSince(nonce: string, source: string): number | undefined {
    const issuedAt = this.#issuedAt(nonce, source)
    if (issuedAt === undefined) return undefined
    const age = this.#options.now() - issuedAt
    return age >= -clockSkewMs && age <= this.#options.lifetimeMs ? issuedAt : undefined
  }

  #issuedAt(nonce: string, source: string): number | undefined {
    const bytes = Buffer.from(nonce, 'base64url')
    if (bytes.length !== stampLength + macBytes) return undefined
    if (!timingSafeEqual(bytes.subarray(stampLength), this.#mac(bytes.subarray(0, stampLength), source))) return undefined
    return bytes.readUIntBE(0, timeBytes)
  }

  #mac(stamp: Uint8Array, source: string): Buffer {
    return createHmac('sha256', this.#key).update(stamp).update(source).digest().subarray(0, macBytes)
  }

  #remember(nonce: string, use: Use): void {
    const now = this.#options.now()
    for (const [old, { issuedAt }] of this.#uses) {
      const expired = now - issuedAt > this.#options.lifetimeMs
      if (!expired && this.#uses.size < this.#options.most) break
      if (!expired) this.#forgottenUntil = Math.max(this.#forgottenUntil, issuedAt)
      this.#uses.delete(old)
    }
    this.#uses.set(nonce, use)
  }
}

/** Allows slight reordering, as with UDP packets. */
const advance = (use: Use, count: number): boolean => {
  const ahead = count - use.highest
  if (ahead > 0) {
    use.window = ahead > 31 ? 1 : ((use.window << ahead) | 1) >>> 0
    use.highest = count
    return true
  }
  const bit = ahead < -31 ? 0 : (1 << -ahead) >>> 0
  if (bit === 0 || (use.window & bit) !== 0) return false
  use.window = (use.window | bit) >>> 0
  return true
}

interface DigestServerOptions {
  realm: string
  /** HMAC key of the nonces; at least 32 random bytes. */
  key: Uint8Array
  now: () => number
  /** Lifetime of a nonce in milliseconds. Default: 60 s. */
  nonceMs?: number
  /** Maximum number of tracked nonces. Default: 10,000. */
  nonces?: number
}

type DigestSecret = { password: string } | { ha1: Partial<Record<DigestAlgorithm, string>> }

/** The claimed user of a request, not proven yet. */
export interface DigestClaim {
  readonly username: string
  readonly params: Params
  /** Source address. */
  readonly source: string
}

/** `stale`: the secret is right, but the nonce is expired, foreign or already used; send a new challenge with stale=true. */
export type DigestVerdict = 'right' | 'wrong' | 'stale'

const quotedInChallenge = new Set(['realm', 'nonce', 'qop'])
const qop = 'auth'

/** `algorithm` was already validated. */
const ha1Of = (secret: DigestSecret, algorithm: DigestAlgorithm, username: string, realm: string): string | undefined =>
  'password' in secret ? digestHa1(algorithm, username, realm, secret.password) : secret.ha1[algorithm]

const equalInConstantTime = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Proxies may have changed the host of the Request-URI, but its user part must match the signed one. */
const isSameRequest = (signed: string, requestUri: string): boolean => {
  if (signed === requestUri) return true
  try {
    return parseUri(signed).user === parseUri(requestUri).user
  } catch (error) {
    if (error instanceof SipError) return false
    throw error
  }
}

/** Digest server, RFC 7616 and 8760. */
export class DigestServer {
  readonly realm: string
  readonly #nonces: Nonces

  constructor({ realm, key, now, nonceMs = 60_000, nonces = 10_000 }: DigestServerOptions) {
    this.realm = realm
    this.#nonces = new Nonces({ key, now, lifetimeMs: nonceMs, most: nonces })
  }

  /** Values for WWW-Authenticate (or Proxy-Authenticate), one header per algorithm, preferred one first. */
  challenges(options: { stale?: boolean; algorithms?: readonly DigestAlgorithm[]; source?: string } = {}): string[] {
    const nonce = this.#nonces.issue(options.source ?? '')
    const stale = options.stale === true ? 'true' : undefined
    const algorithms = options.algorithms ?? ['SHA-256', 'MD5']
    return algorithms.map(
      (algorithm) => `Digest ${formatAuthParams({ realm: this.realm, nonce, qop, algorithm, stale }, quotedInChallenge)}`,
    )
  }

  /** The claim for our realm among the (Proxy-)Authorization lines. Ignores other schemes and realms. */
  claim(lines: readonly string[], source = ''): DigestClaim | undefined {
    for (const line of lines) {
      const { scheme, params } = parseAuthHeader(line)
      const username = params['username']
      if (scheme === 'digest' && params['realm'] === this.realm && username !== undefined) return { username, params, source }
    }
    return undefined
  }

  /** A claim with any other nonce is stale in any case, so its user need not be looked up. */
  isFresh({ params, source }: DigestClaim): boolean {
    return this.holds(params['nonce'] ?? '', source)
  }

  /** Whether a challenge with this nonce recently went to that source. */
  holds(nonce: string, source: string): boolean {
    return this.#nonces.isFresh(nonce, source)
  }

  /** For an unknown user pass any secret: the result is `wrong` after the same work. `right` and `stale` consume the nonce. */
  check({ username, params, source }: DigestClaim, request: { method: string; uri: string }, secret: DigestSecret): DigestVerdict {
    const named = readAlgorithm(params['algorithm'])
    const { uri = '', nonce = '', response = '', cnonce = '' } = params
    // RFC 2069 has no count: such an answer is valid once.
    const nc = params['qop'] === undefined ? undefined : (params['nc'] ?? '')
    const count = nc === undefined ? 1 : readCount(nc)
    const ha1 = named && ha1Of(secret, named.algorithm, username, this.realm)
    if (named === undefined || ha1 === undefined || count === undefined) return 'wrong'
    if (nc !== undefined && params['qop']?.toLowerCase() !== qop) return 'wrong'
    const expected = digestResponse({ ...named, ha1, method: request.method, uri, nonce, nc, cnonce })
    if (!equalInConstantTime(expected, response.toLowerCase()) || !isSameRequest(uri, request.uri)) return 'wrong'
    return this.#nonces.use(nonce, source, count) ? 'right' : 'stale'
  }
}

/** Eight hexadecimal digits; leading zeros may be missing. */
const readCount = (text: string): number | undefined => {
  if (text.length === 0 || text.length > 8) return undefined
  const count = Number(`0x${text}`)
  return Number.isInteger(count) ? count : undefined
}
