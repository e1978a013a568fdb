import { timingSafeEqual } from 'node:crypto'
import { formatAuthParams, parseAuthHeader } from './auth-header.ts'
import { digestHa1, digestResponse, readAlgorithm } from './digest.ts'
import type { DigestAlgorithm } from './digest.ts'
import type { Params } from '../grammar/params.ts'
import { Nonces } from './nonces.ts'
import { SipError } from '../grammar/sip-error.ts'
import { parseUri } from '../grammar/uri.ts'

export interface DigestServerOptions {
  realm: string
  /** Makes and proves the nonces; at least 32 random bytes. */
  key: Uint8Array
  now: () => number
  /** 60 s unless given. */
  nonceMs?: number
  /** How many nonces in use are remembered, 10,000 unless given. */
  nonces?: number
}

export type DigestSecret = { password: string } | { ha1: Partial<Record<DigestAlgorithm, string>> }

/** The user that a request claims to come from. Not proven yet. */
export interface DigestClaim {
  readonly username: string
  readonly params: Params
  /** Where it came from. */
  readonly source: string
}

/** `stale`: the secret is right, but the nonce is too old, not ours or was used before; a new challenge with stale=true will do. */
export type DigestVerdict = 'right' | 'wrong' | 'stale'

const quotedInChallenge = new Set(['realm', 'nonce', 'qop'])
const qop = 'auth'

/** `algorithm` was checked already. */
const ha1Of = (secret: DigestSecret, algorithm: DigestAlgorithm, username: string, realm: string): string | undefined =>
  'password' in secret ? digestHa1(algorithm, username, realm, secret.password) : secret.ha1[algorithm]

const equalInConstantTime = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Proxies in between may have changed the host of the Request-URI, but its user part must be what was signed. */
const isSameRequest = (signed: string, requestUri: string): boolean => {
  if (signed === requestUri) return true
  try {
    return parseUri(signed).user === parseUri(requestUri).user
  } catch (error) {
    if (error instanceof SipError) return false
    throw error
  }
}

/** The side that challenges, RFC 7616 and 8760. */
export class DigestServer {
  readonly realm: string
  readonly #nonces: Nonces

  constructor({ realm, key, now, nonceMs = 60_000, nonces = 10_000 }: DigestServerOptions) {
    this.realm = realm
    this.#nonces = new Nonces({ key, now, lifetimeMs: nonceMs, most: nonces })
  }

  /** Values for WWW-Authenticate (or Proxy-Authenticate), one header for each algorithm, the one that we like best first. */
  challenges(options: { stale?: boolean; algorithms?: readonly DigestAlgorithm[]; source?: string } = {}): string[] {
    const nonce = this.#nonces.issue(options.source ?? '')
    const stale = options.stale === true ? 'true' : undefined
    const algorithms = options.algorithms ?? ['SHA-256', 'MD5']
    return algorithms.map(
      (algorithm) => `Digest ${formatAuthParams({ realm: this.realm, nonce, qop, algorithm, stale }, quotedInChallenge)}`,
    )
  }

  /** The claim for our realm among the lines of (Proxy-)Authorization. Other schemes and realms count as nothing said. */
  claim(lines: readonly string[], source = ''): DigestClaim | undefined {
    for (const line of lines) {
      const { scheme, params } = parseAuthHeader(line)
      const username = params['username']
      if (scheme === 'digest' && params['realm'] === this.realm && username !== undefined) return { username, params, source }
    }
    return undefined
  }

  /** A claim with any other nonce is stale, whatever it proves: not worth looking its user up. */
  isFresh({ params, source }: DigestClaim): boolean {
    return this.holds(params['nonce'] ?? '', source)
  }

  /** Whether a challenge with this nonce went to that source a short while ago. */
  holds(nonce: string, source: string): boolean {
    return this.#nonces.isFresh(nonce, source)
  }

  /**
   * For a user that does not exist pass any secret: the answer is `wrong` after the same work.
   * `right` and `stale` use the nonce up.
   */
  check({ username, params, source }: DigestClaim, request: { method: string; uri: string }, secret: DigestSecret): DigestVerdict {
    const named = readAlgorithm(params['algorithm'])
    const { uri = '', nonce = '', response = '', cnonce = '' } = params
    // Before RFC 2617 there was no count: such an answer is good once.
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
