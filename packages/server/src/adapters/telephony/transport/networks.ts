import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/kernel/ports/platform.ts'

/** Every message is checked several times, and most come from few sources. */
const MOST_KNOWN = 1_000

interface Ipv4Network {
  first: number
  /** Number of its addresses. */
  size: number
}

type Ipv6Network = [ipaddr.IPv6, number]

/** Returns a test whether one of these addresses or networks (192.0.2.0/24) contains an address. Throws for invalid ones. */
export const networks = (texts: readonly string[]): ((address: string) => boolean) => {
  const { hosts, ipv4, ipv6 } = parseNetworks(texts)
  const known = new BoundedMap<string, boolean>(MOST_KNOWN)
  const holdsIpv4 = (address: number): boolean =>
    hosts.has(address) || ipv4.some(({ first, size }) => address >= first && address - first < size)
  const holdsIpv6 = (address: string): boolean => {
    if (isIP(address) === 0) return false
    const ip = ipaddr.process(address)
    if (ip instanceof ipaddr.IPv4) return holdsIpv4(ipv4Number(ip.toString()) ?? 0)
    return ipv6.some(([network, bits]) => ip.match(network, bits))
  }
  return (address) => {
    if (texts.length === 0) return false
    const number = ipv4Number(address)
    // A flood has another address in each message: an IPv4 address is cheaper to compare than to cache.
    if (number !== undefined) return holdsIpv4(number)
    const before = known.get(address)
    if (before !== undefined) return before
    const answer = holdsIpv6(address)
    known.set(address, answer)
    return answer
  }
}

const parseNetworks = (texts: readonly string[]): { hosts: Set<number>; ipv4: Ipv4Network[]; ipv6: Ipv6Network[] } => {
  const hosts = new Set<number>()
  const ipv4: Ipv4Network[] = []
  const ipv6: Ipv6Network[] = []
  for (const text of texts) {
    const [address = '', length] = text.split('/')
    const family = isIP(address)
    const most = family === 4 ? 32 : 128
    const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
    if (family === 0 || !(bits <= most) || text.split('/').length > 2)
      throw new Error(`${text} is neither an IP address nor a network such as 192.0.2.0/24`)
    const number = ipv4Number(address)
    if (number === undefined) ipv6.push([ipaddr.IPv6.parse(address), bits])
    else if (bits === 32) hosts.add(number)
    else ipv4.push({ first: number - (number % 2 ** (32 - bits)), size: 2 ** (32 - bits) })
  }
  return { hosts, ipv4, ipv6 }
}

const [zero, nine, dot] = [48, 57, 46]

/** 192.0.2.1 as a number of 32 bits; undefined for every other spelling. */
export const ipv4Number = (address: string): number | undefined => {
  if (address.length < 7 || address.length > 15) return undefined
  let [number, part, digits, parts] = [0, 0, 0, 0]
  for (let at = 0; at <= address.length; at++) {
    const code = at === address.length ? dot : address.charCodeAt(at)
    if (code === dot) {
      if (digits === 0 || part > 255) return undefined
      number = number * 256 + part
      part = digits = 0
      parts++
    } else if (code < zero || code > nine || (digits > 0 && part === 0) || digits === 3) return undefined
    else {
      part = part * 10 + code - zero
      digits++
    }
  }
  return parts === 4 ? number : undefined
}

export const isLoopback = networks(['127.0.0.0/8', '::1'])

/** An IPv4 address in IPv4 notation, even if an IPv6 socket received it. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** As `os.networkInterfaces` returns them. */
export type ReadInterfaces = () => ReturnType<typeof networkInterfaces>

export interface Interface {
  address: string
  /** Whether an address is in the network of this interface. */
  holds: (address: string) => boolean
}

interface OwnHostOptions {
  clock: Clock
  readInterfaces?: ReadInterfaces
}

/** Reading the interfaces takes about 0.1 ms, more than a SIP message, and addresses change rarely. */
const MAX_AGE_MS = 1_000

/**
 * Linux drops packets from outside with a loopback source, and IPv4 packets with a source of the machine itself (RFC 1122 §3.2.1.3, RFC 4291
 * §2.5.3). It accepts forged IPv6 addresses of its own cards.
 */
const isUnforgeable = (address: string): boolean => isIPv4(address) || isLoopback(address)

/** The machine that this process runs on, by the addresses of its network interfaces. Follows changes within a second. */
export class OwnHost {
  readonly #clock: Clock
  readonly #readInterfaces: ReadInterfaces
  #interfaces: readonly Interface[]
  #addresses: readonly string[] = []
  #readAt: number

  constructor({ clock, readInterfaces = networkInterfaces }: OwnHostOptions) {
    this.#clock = clock
    this.#readInterfaces = readInterfaces
    this.#readAt = clock.now()
    this.#interfaces = this.#read()
  }

  /** Loopback last. The same array until the next read. */
  get interfaces(): readonly Interface[] {
    const now = this.#clock.now()
    if (Math.abs(now - this.#readAt) >= MAX_AGE_MS) {
      this.#readAt = now
      this.#interfaces = this.#read()
    }
    return this.#interfaces
  }

  /** The addresses of this machine that only it can send from, if `address` is one of its own; otherwise none. */
  addressesBeside(address: string): readonly string[] {
    const { interfaces } = this
    const isOwn = isLoopback(address) || interfaces.some((one) => one.address === address)
    return isOwn ? this.#addresses : []
  }

  #read(): readonly Interface[] {
    const found = Object.values(this.#readInterfaces())
      .flatMap((one) => one ?? [])
      .toSorted((a, b) => Number(a.internal) - Number(b.internal))
      .map(({ address, cidr }) => ({ address, holds: networks(cidr === null ? [address] : [cidr]) }))
    this.#addresses = found.map(({ address }) => address).filter(isUnforgeable)
    return found
  }
}

interface OwnAddressOptions {
  host: OwnHost
  /** The listening address; 0.0.0.0 or :: for all. */
  bound: string
  /** Our public address. */
  advertised: string | undefined
}

export const isPrivate = networks([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
])
const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::'

const MOST_ADDRESSES = 1_000

/** Our address for a peer: in the same network that of our interface, for all others the advertised one. */
export const ownAddress = ({ host, bound, advertised }: OwnAddressOptions): ((towards: string) => string) => {
  let { interfaces } = host
  /** Every message needs it several times, and each time all interfaces would be compared. */
  const known = new BoundedMap<string, string>(MOST_ADDRESSES)
  const ofInterface = (towards: string): string => {
    if (!isAny(bound)) return bound
    if (host.interfaces !== interfaces) {
      interfaces = host.interfaces
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

/** The interface in the same network, otherwise the first of the same family (loopback is last). */
const nearest = (interfaces: readonly Interface[], towards: string): string => {
  const kind = ipaddr.isValid(towards) ? ipaddr.parse(towards).kind() : 'ipv4'
  const sameKind = interfaces.filter(({ address }) => ipaddr.parse(address).kind() === kind && !isLinkLocal(address))
  const found = sameKind.find(({ holds }) => holds(towards)) ?? sameKind[0]
  return found?.address ?? (kind === 'ipv4' ? '127.0.0.1' : '::1')
}

const isLinkLocal = networks(['fe80::/10'])
