import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { SourceFilter } from './guard/source-filter.ts'
import { isLoopback, networks, OwnHost, type ReadInterfaces } from './transport/networks.ts'
import { Resolver } from './transport/resolver.ts'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import { Transports, type Listen } from './transport/transports.ts'

export interface SocketsOptions {
  clock: Clock
  /** UDP and TCP. */
  listen: Listen
  tls?: Listen | undefined
  ws?: Listen | undefined
  certificate?: Certificate | undefined
  /** Our public address. */
  publicAddress?: string | undefined
  /** Reads the network interfaces of this machine; default: those of the system. */
  readInterfaces?: ReadInterfaces
  /** Our own proxies: addresses and networks without limits. */
  trusted: readonly string[]
  /** Those of them that report the source of a request. */
  edge?: readonly string[]
  /** Applies limits to this machine, too, even if it is the only one that can reach us. */
  limitLoopback: boolean
  onBan?: (address: string, why: string, source: string) => void
  onFlood?: (address: string) => void
  onUnprovenFlood?: (dropped: number) => void
  onError: (error: unknown) => void
}

export interface Sockets {
  sourceFilter: SourceFilter
  host: OwnHost
  resolver: Resolver
  transports: Transports
}

interface Receiver {
  /** A trunk may send from here. */
  isTrunk(address: string): boolean
  receive(message: Uint8Array, from: Flow): void
  closed(connection: number, flow: Flow): void
}

export const proxiesOf = ({ trusted, edge = [] }: Pick<SocketsOptions, 'trusted' | 'edge'>): readonly string[] => [...trusted, ...edge]

/** All SIP sockets, guarded by the source filter. */
export const openSockets = async (options: SocketsOptions, receiver: Receiver): Promise<Sockets> => {
  const { clock, listen, tls, ws, certificate, publicAddress, readInterfaces, onBan, onFlood, onUnprovenFlood, onError } = options
  const host = new OwnHost({ clock, ...(readInterfaces && { readInterfaces }) })
  const isOurs = networks(proxiesOf(options))
  const sparesLoopback = !options.limitLoopback && (isLoopback(listen.host) || listen.host === 'localhost')
  const trusted = (address: string): boolean => isOurs(address) || (sparesLoopback && isLoopback(address))
  const isTrunk = (address: string): boolean => receiver.isTrunk(address)
  const reports = { ...(onBan && { onBan }), ...(onFlood && { onFlood }), ...(onUnprovenFlood && { onUnprovenFlood }) }
  const sourceFilter = new SourceFilter({ clock, trusted, isTrunk, ...reports })
  const transports = await Transports.open({
    clock,
    host,
    listen,
    tls,
    certificate,
    publicAddress,
    onError,
    ...(certificate ? { wss: ws } : { ws }),
    connectionsFor: (address) => sourceFilter.connectionsFor(address),
    onMessage: (message, from) => {
      if (sourceFilter.admits(message, from)) receiver.receive(message, from)
    },
    onClosed: (connection, flow) => receiver.closed(connection, flow),
    onBroken: (from) => sourceFilter.malformed(from),
    onUnreachable: (to) => resolver.avoid(to),
  })
  const resolver = new Resolver({ clock, families: transports.families })
  return { sourceFilter, host, transports, resolver }
}
