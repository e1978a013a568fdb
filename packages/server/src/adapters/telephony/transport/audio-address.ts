import { isIP } from 'node:net'
import { isLoopback, isPrivate, type Interface } from './networks.ts'

const isInside = (address: string): boolean => isLoopback(address) || isPrivate(address)

/**
 * The one of our addresses at which a far end sends us audio: in its own network, otherwise a private one for a private address and a public one for a public
 * address. Undefined without addresses.
 */
export const nearestAddress = (ours: readonly string[], interfaces: readonly Interface[], farEnd: string): string | undefined => {
  const family = isIP(farEnd)
  const possible = ours.filter((address) => isIP(address) === family)
  const isNear = (address: string): boolean => interfaces.some((one) => one.address === address && one.holds(farEnd))
  return possible.find(isNear) ?? possible.find((address) => isInside(address) === isInside(farEnd)) ?? possible[0] ?? ours[0]
}

/** Behind a router a far end outside needs our public address instead. */
export const needsPublicAddress = (ours: string, farEnd: string): boolean => isInside(ours) && !isInside(farEnd)
