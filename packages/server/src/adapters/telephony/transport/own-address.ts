import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { isLoopback, networks } from './networks.ts'

export interface OwnAddressOptions {
  clock: Clock
  /** The address that we listen on; 0.0.0.0 or :: for all. */
  bound: string
  /** What the world outside of our own network calls us. */
  advertised: string | undefined
}

const isPrivate = networks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'])
const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** Interfaces come and go, but asking for every message would cost more than the message. */
const LOOK_EVERY_MS = 10_000
const MOST_KNOWN = 1_000

/** How a peer reaches us: neighbours by the address of our interface, all others by the advertised one. */
export const ownAddress = ({ clock, bound, advertised }: OwnAddressOptions): ((towards: string) => string) => {
  let interfaces = readInterfaces()
  let readAt = clock.now()
  /** Every message asks several times, and each time every interface would be compared. */
  const known = new BoundedMap<string, string>(MOST_KNOWN)
  const ofInterface = (towards: string): string => {
    if (!isAny(bound)) return bound
    if (Math.abs(clock.now() - readAt) >= LOOK_EVERY_MS) {
      interfaces = readInterfaces()
      readAt = clock.now()
      known.clear()
    }
    const before = known.get(towards)
    if (before !== undefined) return before
    const found = nearest(interfaces, towards)
    known.set(towards, found)
    return found
  }
  return (towards) => {
    const peerNode = isLoopback(towards) || isPrivate(towards)
    return advertised !== undefined && !peerNode ? advertised : ofInterface(towards)
  }
}

interface Interface {
  address: string
  holds: (address: string) => boolean
}

const readInterfaces = (): Interface[] =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .toSorted((a, b) => Number(a.internal) - Number(b.internal))
    .map(({ address, cidr }) => ({ address, holds: networks(cidr === null ? [address] : [cidr]) }))

/** The interface in the same network, else the first of the same family that leads outside. */
const nearest = (interfaces: readonly Interface[], towards: string): string => {
  const kind = ipaddr.isValid(towards) ? ipaddr.parse(towards).kind() : 'ipv4'
  const sameKind = interfaces.filter(({ address }) => ipaddr.parse(address).kind() === kind && !isLinkLocal(address))
  const found = sameKind.find(({ holds }) => holds(towards)) ?? sameKind[0]
  return found?.address ?? (kind === 'ipv4' ? '127.0.0.1' : '::1')
}

const isLinkLocal = networks(['fe80::/10'])
