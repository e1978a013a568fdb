import { isIP } from 'node:net'
import { bareHost } from '../grammar/host.ts'
import { SipError } from '../grammar/sip-error.ts'
import { byPriorityAndWeight } from './srv-order.ts'
import type { SrvRecord } from './srv-order.ts'
import type { Flow, TransportKind } from './transport.ts'
import type { SipUri } from '../grammar/uri.ts'

export interface NaptrRecord {
  order: number
  preference: number
  flags: string
  service: string
  replacement: string
}

/** What locating needs from DNS. An empty list: there is none. A rejected promise counts as that too. */
export interface LocateResolver {
  naptr(domain: string): Promise<readonly NaptrRecord[]>
  srv(name: string): Promise<readonly SrvRecord[]>
  /** IPv4 and IPv6, the ones to try first in front. */
  addresses(host: string): Promise<readonly string[]>
}

export interface LocateOptions {
  resolver: LocateResolver
  /** From 0 up to 1. */
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

/** The transport that the URI names; `undefined` when it names none, `null` when it is one that we cannot do. */
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
  /** RFC 5922 §4: the certificate is for the domain that was asked for, not for where DNS points to. */
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

  /** `undefined` when there are no such records at all; none when they say that the service is not there. */
  async bySrv(name: string, kind: TransportKind): Promise<Flow[] | undefined> {
    const records = await orNone(this.#options.resolver.srv(name))
    if (records.length === 0) return undefined
    const offered = records.filter((record) => record.name !== '' && record.name !== '.')
    const ordered = byPriorityAndWeight(offered, this.#options.random)
    const flows = await Promise.all(ordered.map(({ name: host, port }) => this.byAddress({ host, port, kind })))
    return flows.flat()
  }

  /** RFC 3263 §4.1: what the domain says about its transports, else what SRV says about each of them. */
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
 * RFC 3263: where a request to this URI can be sent, in the order in which to try. Empty when there is no way.
 * Throws SipError(416) for tel: a number has no host.
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
