import type { HeaderLines } from '../message/build.ts'
import type { DigestClient } from './digest-client.ts'
import type { Response } from '../message/message.ts'
import type { Flow } from '../transport/transport.ts'

/** Credentials for one request. */
export interface Authorizer {
  /** Sent before any challenge: credentials for the last nonce of the peer (RFC 7616 §3.6). */
  preemptive(request: { method: string; uri: string }, flow: Flow): HeaderLines
  /** The headers that answer a challenge; nothing when it is not to be answered. */
  answer(challenge: Response, request: { method: string; uri: string }, flow: Flow): HeaderLines | undefined
}

const isStale = (response: Response): boolean => {
  const name = response.status === 407 ? 'proxy-authenticate' : 'www-authenticate'
  return response.lines(name).some((line) => line.toLowerCase().includes('stale=true') || line.toLowerCase().includes('stale="true"'))
}

/**
 * Answers one challenge of the server and one of the proxy, and once more when only the nonce was too old.
 * With `onlyTo`, a peer at another address gets none: the dialog may have led us to a stranger.
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
