import { isIP } from 'node:net'
import { bareHost, type SipUri } from '../grammar/uri.ts'
import { SipError } from '../grammar/scan.ts'
import type { Flow, TransportKind } from './transport.ts'

export interface NaptrRecord {
  order: number
  preference: number
  flags: string
  service: string
  replacement: string
}

/** DNS queries for locating. An empty list: no records. A rejection counts as that too. */
export interface LocateResolver {
  naptr(domain: string): Promise<readonly NaptrRecord[]>
  srv(name: string): Promise<readonly SrvRecord[]>
  /** IPv4 and IPv6, in order of preference. */
  addresses(host: string): Promise<readonly string[]>
}

interface LocateOptions {
  resolver: LocateResolver
  /** 0 to 1, exclusive. */
  random: () => number
}

const defaultPorts: Readonly<Record<TransportKind, number>> = { udp: 5060, tcp: 5060, tls: 5061, ws: 80, wss: 443 }
const srvPrefixes: Readonly<Partial<Record<TransportKind, string>>> = { udp: '_sip._udp.', tcp: '_sip._tcp.', tls: '_sips._tcp.' }
const naptrServices: Readonly<Record<string, TransportKind>> = { 'SIP+D2U': 'udp', 'SIP+D2T': 'tcp', 'SIPS+D2T': 'tls' }
/** A hostile zone may list thousands. */
const maxRecords = 16

const orNone = async <T>(lookup: Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return (await lookup).slice(0, maxRecords)
  } catch {
    return []
  }
}

/** The transport named by the URI; `undefined` if none, `null` if unsupported. */
const namedKind = ({ scheme, params }: SipUri): TransportKind | undefined | null => {
  const name = params['transport']?.toLowerCase()
  if (name === undefined) return undefined
  const secure = scheme === 'sips' ? { tcp: 'tls', tls: 'tls', ws: 'wss', wss: 'wss' } : undefined
  const kinds: Readonly<Record<string, string>> = secure ?? { udp: 'udp', tcp: 'tcp', tls: 'tls', ws: 'ws', wss: 'wss' }
  return Object.hasOwn(kinds, name) ? (kinds[name] as TransportKind) : null
}

interface Target {
  host: string
  port: number
  kind: TransportKind
}

class Locating {
  readonly #options: LocateOptions
  /** RFC 5922 §4: the certificate must match the requested domain, not the DNS target. */
  readonly #serverName: string | undefined

  constructor(options: LocateOptions, domain: string) {
    this.#options = options
    this.#serverName = isIP(bareHost(domain)) === 0 ? domain : undefined
  }

  async byAddress(target: Target): Promise<Flow[]> {
    const host = bareHost(target.host)
    const addresses = isIP(host) !== 0 ? [host] : await orNone(this.#options.resolver.addresses(host))
    return addresses.map((address) => this.#flow(target, address))
  }

  /** `undefined` without such records; empty if they declare the service unavailable. */
  async bySrv(name: string, kind: TransportKind): Promise<Flow[] | undefined> {
    const records = await orNone(this.#options.resolver.srv(name))
    if (records.length === 0) return undefined
    const offered = records.filter((record) => record.name !== '' && record.name !== '.')
    const ordered = byPriorityAndWeight(offered, this.#options.random)
    const flows = await Promise.all(ordered.map(({ name: host, port }) => this.byAddress({ host, port, kind })))
    return flows.flat()
  }

  /** RFC 3263 §4.1: transports by NAPTR, else by SRV for each of them. */
  async byDomain(host: string, secure: boolean): Promise<Flow[] | undefined> {
    const known = (await orNone(this.#options.resolver.naptr(host)))
      .map((record) => ({ ...record, kind: naptrServices[record.service.toUpperCase()] }))
      .filter(({ kind, flags }) => flags.toLowerCase() === 's' && (secure ? kind === 'tls' : kind !== undefined))
      .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    const kinds: readonly TransportKind[] = secure ? ['tls'] : ['udp', 'tcp', 'tls']
    const lookups =
      known.length > 0
        ? known.map(({ replacement, kind = 'udp' }) => this.bySrv(replacement, kind))
        : kinds.map((kind) => this.bySrv(`${srvPrefixes[kind]}${host}`, kind))
    const found = (await Promise.all(lookups)).filter((flows) => flows !== undefined)
    return found.length === 0 ? undefined : found.flat()
  }

  #flow({ kind, port }: Target, address: string): Flow {
    const serverName = kind === 'tls' || kind === 'wss' ? this.#serverName : undefined
    return serverName === undefined ? { kind, address, port } : { kind, address, port, serverName }
  }
}

/**
 * RFC 3263: flows for a request to this URI, in the order to try. Empty if there is none. Throws SipError(416) for tel, which has no host.
 */
export const locate = async (uri: SipUri, options: LocateOptions): Promise<Flow[]> => {
  if (uri.scheme === 'tel') throw new SipError(416, 'A telephone number has no host')
  const host = uri.params['maddr'] ?? uri.host
  const secure = uri.scheme === 'sips'
  const named = namedKind(uri)
  if (named === null) return []
  const kind = named ?? (secure ? 'tls' : 'udp')
  const locating = new Locating(options, uri.host)
  const direct: Target = { host, port: uri.port ?? defaultPorts[kind], kind }
  if (uri.port !== undefined || isIP(bareHost(host)) !== 0) return locating.byAddress(direct)
  const prefix = srvPrefixes[kind]
  if (named !== undefined && prefix === undefined) return locating.byAddress(direct)
  const found = named === undefined ? await locating.byDomain(host, secure) : await locating.bySrv(`${prefix}${host}`, kind)
  return found ?? locating.byAddress(direct)
}

export interface SrvRecord {
  priority: number
  weight: number
  port: number
  name: string
}

/** RFC 2782: draws within one priority by weight; records without weight have a very small chance. */
const draw = (records: readonly SrvRecord[], random: () => number): SrvRecord[] => {
  const left = records.toSorted((a, b) => a.weight - b.weight)
  const drawn: SrvRecord[] = []
  while (left.length > 0) {
    const sum = left.reduce((total, { weight }) => total + weight, 0)
    const mark = Math.floor(random() * (sum + 1))
    let running = 0
    const index = left.findIndex(({ weight }) => (running += weight) >= mark)
    drawn.push(...left.splice(index, 1))
  }
  return drawn
}

export const byPriorityAndWeight = (records: readonly SrvRecord[], random: () => number): SrvRecord[] => {
  const priorities = [...new Set(records.map(({ priority }) => priority))].toSorted((a, b) => a - b)
  return priorities.flatMap((priority) =>
    draw(
      records.filter((record) => record.priority === priority),
      random,
    ),
  )
}
