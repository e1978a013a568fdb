import type { HeaderLines } from './build.ts'
import type { DigestClient } from './digest-client.ts'
import type { Response } from './message.ts'
import type { Flow } from './transport.ts'

export type Authorize = (response: Response, request: { method: string; uri: string }, flow: Flow) => HeaderLines | undefined

const isStale = (response: Response): boolean => {
  const name = response.status === 407 ? 'proxy-authenticate' : 'www-authenticate'
  return response.lines(name).some((line) => line.toLowerCase().includes('stale=true') || line.toLowerCase().includes('stale="true"'))
}

/**
 * For one request: answers one challenge of the server and one of the proxy, and once more when only the nonce was too old.
 * With `onlyTo`, a peer at another address gets no answer: it might be anybody that the dialog led us to.
 */
export const answerOnce = (digest: DigestClient, onlyTo?: string): Authorize => {
  const answered = new Map<number, number>()
  return (response, request, flow) => {
    const before = answered.get(response.status) ?? 0
    if (onlyTo !== undefined && flow.address !== onlyTo) return undefined
    if (before > 1 || (before === 1 && !isStale(response)) || !digest.challenged(response)) return undefined
    answered.set(response.status, before + 1)
    return digest.authorization(request.method, request.uri)
  }
}
