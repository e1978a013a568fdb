import { randomBytes } from 'node:crypto'
import { formatAuthParams, parseAuthHeader, parseAuthParams } from './auth-header.ts'
import type { HeaderLines } from '../message/build.ts'
import { digestAlgorithms, digestHa1, digestResponse, readAlgorithm } from './digest.ts'
import type { DigestAlgorithm } from './digest.ts'
import type { Response } from '../message/message.ts'
import type { Params } from '../grammar/params.ts'
import { SipError } from '../grammar/sip-error.ts'

export interface DigestCredentials {
  username: string
  password: string
  /** The only realm that gets an answer. Without it: the one that asks first. */
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
  /** As it was written; goes back like that. */
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

/** All that can be answered. One that cannot be read is left out: another one may do. */
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

/** The side that is challenged, RFC 7616 and 8760. One for each peer, so that nonces and counts go on over many requests. */
export class DigestClient {
  readonly #credentials: DigestCredentials
  #realm: string | undefined
  readonly #challenges = new Map<string, Challenge>()

  constructor(credentials: DigestCredentials) {
    this.#credentials = credentials
    this.#realm = credentials.realm
  }

  /**
   * Takes note of a 401 or 407. True when sending the request again with `authorization` makes sense; false when no realm that we
   * know asks, or when our credentials were rejected.
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

  /** Headers for the next request: an answer to every challenge so far; none before the first one. */
  authorization(method: string, uri: string): HeaderLines {
    return [...this.#challenges.values()].map((challenge) => [
      challenge.asker === 'server' ? 'Authorization' : 'Proxy-Authorization',
      this.#answer(challenge, method, uri),
    ])
  }

  /** A response may name the nonce for the next request (RFC 7616 §3.5). */
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
