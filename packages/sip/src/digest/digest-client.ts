import { randomBytes } from 'node:crypto'
import {
  formatAuthParams,
  parseAuthHeader,
  parseAuthParams,
  digestAlgorithms,
  digestHa1,
  digestResponse,
  readAlgorithm,
  type DigestAlgorithm,
} from './digest.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Response } from '../message/message.ts'
import { type Params, SipError } from '../grammar/scan.ts'
import type { Flow } from '../transport/transport.ts'

export interface DigestCredentials {
  username: string
  password: string
  /** The only realm that gets an answer. Default: the realm of the first challenge. */
  realm?: string | undefined
}

type Asker = 'server' | 'proxy'

interface Challenge {
  asker: Asker
  realm: string
  nonce: string
  opaque: string | undefined
  algorithm: DigestAlgorithm
  session: boolean
  /** As received; echoed unchanged. */
  algorithmName: string | undefined
  qop: boolean
  stale: boolean
  cnonce: string
  count: number
}

const quotedInAnswer = new Set(['username', 'realm', 'nonce', 'uri', 'response', 'cnonce', 'opaque'])
const maxChallenges = 4

const offersAuth = (qop: string): boolean => qop.split(',').some((each) => each.trim().toLowerCase() === 'auth')

const readChallenge = (asker: Asker, params: Params): Challenge | undefined => {
  const { realm, nonce, qop, opaque } = params
  const named = readAlgorithm(params['algorithm'])
  if (named === undefined || realm === undefined || nonce === undefined || (qop !== undefined && !offersAuth(qop))) return undefined
  return {
    asker,
    realm,
    nonce,
    opaque,
    ...named,
    algorithmName: params['algorithm'],
    qop: qop !== undefined,
    stale: params['stale']?.toLowerCase() === 'true',
    cnonce: randomBytes(12).toString('hex'),
    count: 0,
  }
}

/** All supported challenges. Skips unparsable ones: another one may do. */
const readChallenges = (response: Response, asker: Asker): Challenge[] => {
  const challenges: Challenge[] = []
  for (const line of response.lines(asker === 'server' ? 'www-authenticate' : 'proxy-authenticate')) {
    try {
      const { scheme, params } = parseAuthHeader(line)
      const challenge = scheme === 'digest' ? readChallenge(asker, params) : undefined
      if (challenge !== undefined) challenges.push(challenge)
    } catch (error) {
      if (!(error instanceof SipError)) throw error
    }
  }
  return challenges.toSorted((a, b) => digestAlgorithms.indexOf(b.algorithm) - digestAlgorithms.indexOf(a.algorithm))
}

/** Digest client, RFC 7616 and 8760. One per peer, so that nonces and counts continue across requests. */
export class DigestClient {
  readonly #credentials: DigestCredentials
  #realm: string | undefined
  readonly #challenges = new Map<string, Challenge>()

  constructor(credentials: DigestCredentials) {
    this.#credentials = credentials
    this.#realm = credentials.realm
  }

  /**
   * Records a 401 or 407. Returns true if a retry with `authorization` makes sense; false if no known realm challenges, or our credentials
   * were rejected.
   */
  challenged(response: Response): boolean {
    const asker: Asker = response.status === 407 ? 'proxy' : 'server'
    const challenges = readChallenges(response, asker)
    const challenge = challenges.find(({ realm }) => realm === (this.#realm ?? realm))
    if (challenge === undefined) return false
    this.#realm ??= challenge.realm
    const key = `${asker} ${challenge.realm}`
    const known = this.#challenges.get(key)
    if (known !== undefined && known.count > 0 && known.nonce === challenge.nonce && !challenge.stale) return false
    if (known === undefined && this.#challenges.size >= maxChallenges) return false
    this.#challenges.set(key, challenge)
    return true
  }

  /** Headers for the next request: an answer to every challenge so far; empty before the first one. */
  authorization(method: string, uri: string): HeaderLines {
    return [...this.#challenges.values()].map((challenge) => [
      challenge.asker === 'server' ? 'Authorization' : 'Proxy-Authorization',
      this.#answer(challenge, method, uri),
    ])
  }

  /** Takes the nextnonce for the next request (RFC 7616 §3.5). */
  succeeded(response: Response): void {
    const line = response.header('authentication-info')
    if (line === undefined) return
    try {
      const next = parseAuthParams(line)['nextnonce']
      for (const challenge of this.#challenges.values()) {
        if (challenge.asker === 'server' && next !== undefined) Object.assign(challenge, { nonce: next, count: 0 })
      }
    } catch (error) {
      if (!(error instanceof SipError)) throw error
    }
  }

  #answer(challenge: Challenge, method: string, uri: string): string {
    const { algorithm, session, realm, nonce, opaque, cnonce, qop } = challenge
    const { username, password } = this.#credentials
    challenge.count++
    const nc = qop ? challenge.count.toString(16).padStart(8, '0') : undefined
    const ha1 = digestHa1(algorithm, username, realm, password)
    const response = digestResponse({ algorithm, session, ha1, method, uri, nonce, nc, cnonce })
    const sent = { username, realm, nonce, uri, response, algorithm: challenge.algorithmName, opaque }
    const counted = qop || session ? { cnonce, qop: qop ? 'auth' : undefined, nc } : {}
    return `Digest ${formatAuthParams({ ...sent, ...counted }, quotedInAnswer)}`
  }
}

/** Credentials for one request. */
export interface Authorizer {
  /** Credentials for the peer's last nonce, sent before any challenge (RFC 7616 §3.6). */
  preemptive(request: { method: string; uri: string }, flow: Flow): HeaderLines
  /** Headers that answer a challenge; undefined if it should not be answered. */
  answer(challenge: Response, request: { method: string; uri: string }, flow: Flow): HeaderLines | undefined
}

const isStale = (response: Response): boolean => {
  const name = response.status === 407 ? 'proxy-authenticate' : 'www-authenticate'
  return response.lines(name).some((line) => line.toLowerCase().includes('stale=true') || line.toLowerCase().includes('stale="true"'))
}

/**
 * Answers one challenge of the server and one of the proxy, and once more if only the nonce was stale. With `onlyTo`, peers at other
 * addresses get no credentials: the dialog may have led to a third party.
 */
export const authorizer = (digest: DigestClient, onlyTo?: string): Authorizer => {
  const answered = new Map<number, number>()
  const trusted = (flow: Flow): boolean => onlyTo === undefined || flow.address === onlyTo
  return {
    preemptive: ({ method, uri }, flow) => (trusted(flow) ? digest.authorization(method, uri) : []),
    answer: (challenge, { method, uri }, flow) => {
      const before = answered.get(challenge.status) ?? 0
      if (!trusted(flow) || before > 1 || (before === 1 && !isStale(challenge)) || !digest.challenged(challenge)) return undefined
      answered.set(challenge.status, before + 1)
      return digest.authorization(method, uri)
    },
  }
}
