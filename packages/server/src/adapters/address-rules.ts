import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Decides which addresses the server may call on behalf of others. */
export interface AddressRules {
  /** The name itself is allowed, whatever its address. */
  allowsName(hostname: string, port: number): boolean
  allowsAddress(address: string, port: number): boolean
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

interface Exception {
  /** Default: every port. */
  port?: number
  target: { name: string } | { network: Network }
}

/** All currently assigned public IPv6. ipaddr.js calls everything without a name "unicast", also unassigned blocks. */
const GLOBAL_IPV6: Network = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Allows public addresses of other machines; all others need an exception (services on this machine may expect only local clients): `name`,
 * `name:port`, `address`, `address:port`, `network/bits` or `network/bits:port`, IPv6 with a port in brackets as in `[fd00::/8]:443`.
 */
export function addressRules(exceptions: string[], ownAddresses: () => readonly string[] = localAddresses): AddressRules {
  const parsed = exceptions.map(parseException)
  // Read each time: addresses change while the service runs.
  const isOwn = (ip: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
    ownAddresses().some((own) => isIP(own) !== 0 && ipaddr.parse(own).toNormalizedString() === ip.toNormalizedString())
  return {
    allowsName: (hostname, port) =>
      parsed.some(({ target, port: only }) => 'name' in target && target.name === canonicalName(hostname) && (only ?? port) === port),
    allowsAddress(address, port) {
      // Only the two plain notations: ipaddr.js would also parse 0x7f.1, which the system might parse differently.
      if (isIP(address) === 0) return false
      const ip = ipaddr.parse(address)
      return (
        (isPublic(ip) && !isOwn(ip)) ||
        parsed.some(({ target, port: only }) => 'network' in target && contains(target.network, ip) && (only ?? port) === port)
      )
    },
  }
}

export const localAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))

function isPublic(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || contains(GLOBAL_IPV6, ip))
}

function contains([network, bits]: Network, ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return ip.kind() === network.kind() && ip.match(network, bits)
}

/** Lower case, punycode, without the final dot of a fully qualified name. */
function canonicalName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

function parseException(entry: string): Exception {
  const { host, port } = splitPort(entry.trim())
  if (port !== undefined && (port < 1 || port > 65_535)) throw new Error(`Egress exception "${entry}": the port must be 1 to 65535`)
  try {
    return { target: parseTarget(host), ...(port !== undefined && { port }) }
  } catch {
    throw new Error(`Egress exception "${entry}": expected a name, an address or a network, each with or without :port`)
  }
}

function splitPort(entry: string): { host: string; port?: number } {
  const bracketed = /^\[([^\]]*:[^\]]*)\](?::(\d{1,5}))?$/.exec(entry)
  const plain = /^([^:[\]]+)(?::(\d{1,5}))?$/.exec(entry)
  const [, host = entry, port] = bracketed ?? plain ?? []
  return port === undefined ? { host } : { host, port: Number(port) }
}

function parseTarget(host: string): Exception['target'] {
  if (host.includes('/')) return { network: ipaddr.parseCIDR(host) }
  if (isIP(host)) return { network: [ipaddr.parse(host), isIP(host) === 4 ? 32 : 128] }
  const url = new URL(`http://${host}/`)
  if (isIP(url.hostname) || !/^[\p{L}\p{N}._-]+$/u.test(host)) throw new Error('not a name')
  return { name: canonicalName(url.hostname) }
}
