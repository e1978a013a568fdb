import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { SourceFilter } from './guard/source-filter.ts'
import { isLoopback, networks } from './transport/networks.ts'
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
  /** How the world outside of our network reaches us. */
  publicAddress?: string | undefined
  /** Our own proxies: addresses and networks without limits. */
  trusted: readonly string[]
  /** Those of them that tell where a request came from. */
  edge?: readonly string[]
  /** Limits hold for this machine, too, though it is the only one that can reach us. */
  limitLoopback: boolean
  onBan?: (address: string, why: string, source: string) => void
  onFlood?: (address: string) => void
  onError: (error: unknown) => void
}

export interface Sockets {
  sourceFilter: SourceFilter
  resolver: Resolver
  transports: Transports
}

interface Receiver {
  /** A trunk may send from here. */
  trusts(address: string): boolean
  receive(message: Uint8Array, from: Flow): void
  closed(connection: number, flow: Flow): void
}

export const proxiesOf = ({ trusted, edge = [] }: Pick<SocketsOptions, 'trusted' | 'edge'>): readonly string[] => [...trusted, ...edge]

/** Everything that SIP comes and goes through, guarded by the doorman. */
export const openSockets = async (options: SocketsOptions, receiver: Receiver): Promise<Sockets> => {
  const { clock, listen, tls, ws, certificate, publicAddress, onBan, onFlood, onError } = options
  const isOurs = networks(proxiesOf(options))
  const sparesLoopback = !options.limitLoopback && (isLoopback(listen.host) || listen.host === 'localhost')
  const trusted = (address: string): boolean => isOurs(address) || receiver.trusts(address) || (sparesLoopback && isLoopback(address))
  const sourceFilter = new SourceFilter({ clock, trusted, ...(onBan && { onBan }), ...(onFlood && { onFlood }) })
  const transports = await Transports.open({
    clock,
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
  return { sourceFilter, transports, resolver }
}
