import { isIP } from 'node:net'
import type { StreamSettings } from '#media/engine.ts'
import type { Connection, Media } from '@offhook/sip/sdp/sdp.ts'
import { isLoopback, networks } from '../transport/networks.ts'

/** Where the packets of one media session go to, and which sources are accepted. */
export type RemoteMedia = Pick<StreamSettings, 'remote' | 'alsoFrom'>

/** What is known of a far end before it says anything. */
export interface FarEnd {
  /** The address that it registered from. */
  origin?: string | undefined
  /** A carrier's further addresses and networks that sound comes from. */
  mediaAddresses?: readonly string[]
}

/** How phones signalled hold before RFC 3264. */
export const isUnspecified = (connection: Connection | undefined): boolean => connection?.address === '0.0.0.0' || connection?.address === '::'

/**
 * Sound comes from where the SDP says, or from where the messages come from: many phones do not know their address as we see it, because they
 * are behind a router, in a container, or on this very machine. `from` is missing when a proxy of ours does not say which address is behind it.
 */
export const remoteMediaOf = (
  { connection, port }: Pick<Media, 'connection' | 'port'>,
  from: string | undefined,
  { origin, mediaAddresses = [] }: FarEnd = {},
): RemoteMedia => {
  const named = connection?.address ?? ''
  const seen = from ?? origin
  const address = canBeReached(named, seen) ? named : (seen ?? unspecified)
  const others = [named, from, origin].filter((one) => one !== undefined && one !== address && isIP(one) !== 0)
  return { remote: { address, port }, alsoFrom: [...new Set([...others, ...mediaAddresses] as string[])] }
}

const unspecified = '0.0.0.0'

const isPrivate = networks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'])

/** A private address means something only to a peer that has one, too. */
const canBeReached = (address: string, seen: string | undefined): boolean => {
  if (isIP(address) === 0) return false
  if (isLoopback(address)) return seen !== undefined && isLoopback(seen)
  return seen === undefined || !isPrivate(address) || isPrivate(seen) || isLoopback(seen)
}
