import { isIP } from 'node:net'
import type { LineSettings } from '../../media/engine.ts'
import type { Connection, Media } from '../../sip/sdp/sdp.ts'
import type { Flow } from '../../sip/transport.ts'
import { isLoopback, networks } from './networks.ts'

/** Where packets of one line go to, and who is listened to. */
export type MediaPlace = Pick<LineSettings, 'remote' | 'source'>

/** How phones put somebody on hold before RFC 3264. */
export const isNowhere = (connection: Connection | undefined): boolean => connection?.address === '0.0.0.0' || connection?.address === '::'

/** A phone that does not know its address as we see it is behind NAT: its packets come from where its messages come from. */
export const placeTowards = ({ connection, port }: Pick<Media, 'connection' | 'port'>, from: Flow | undefined): MediaPlace => {
  const address = connection?.address ?? ''
  if (from === undefined || canBeReached(address, from.address)) return { remote: { address, port }, source: 'signalled' }
  return { remote: { address: from.address, port }, source: 'behind-nat' }
}

const isPrivate = networks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'])

/** Addresses of private networks mean something only to those who are in one, too. */
const canBeReached = (address: string, seen: string): boolean => {
  if (isIP(address) === 0) return false
  if (isLoopback(address)) return isLoopback(seen)
  return !isPrivate(address) || isPrivate(seen) || isLoopback(seen)
}
