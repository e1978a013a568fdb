import { createHmac } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'

/** For RTCPeerConnection. */
export interface Relay {
  urls: string[]
  username: string
  credential: string
}

const validSeconds = 3600

/** Logins of a TURN server for a while, as coturn and others make them of a secret that we share (use-auth-secret). */
export const relaysWith =
  ({ urls, secret, clock }: { urls: string[]; secret: string; clock: Pick<Clock, 'now'> }) =>
  (user: string): Relay[] => {
    const username = `${Math.floor(clock.now() / 1000) + validSeconds}:${user}`
    return [{ urls, username, credential: createHmac('sha1', secret).update(username).digest('base64') }]
  }
