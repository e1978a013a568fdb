import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BoundedMap } from '#core/kernel/bounded-map.ts'

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Every message is asked about several times, and most come from few places. */
const MOST_KNOWN = 1_000

/** Tells for an address whether one of these addresses or networks (192.0.2.0/24) holds it. Throws for what is neither. */
export const networks = (texts: readonly string[]): ((address: string) => boolean) => {
  const parsed = texts.map(parseNetwork)
  const known = new BoundedMap<string, boolean>(MOST_KNOWN)
  const holds = (address: string): boolean => {
    if (isIP(address) === 0) return false
    const ip = ipaddr.process(address)
    return parsed.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits))
  }
  return (address) => {
    if (parsed.length === 0) return false
    const before = known.get(address)
    if (before !== undefined) return before
    const answer = holds(address)
    known.set(address, answer)
    return answer
  }
}

const parseNetwork = (text: string): Network => {
  const [address = '', length] = text.split('/')
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (family === 0 || !(bits <= most) || text.split('/').length > 2)
    throw new Error(`${text} is neither an IP address nor a network such as 192.0.2.0/24`)
  return [ipaddr.parse(address), bits]
}

export const isLoopback = networks(['127.0.0.0/8', '::1'])

/** An IPv4 address is written as one also where an IPv6 socket received it. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
