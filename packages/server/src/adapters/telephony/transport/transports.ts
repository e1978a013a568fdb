import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv6, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Flow, Transport, TransportKind } from '@offhook/sip/transport/transport.ts'
import { plainAddress, ownAddress, OwnHost } from './networks.ts'
import { Connections } from './connections.ts'
import { joinStream, connectTcp, listenTcp, connectTls, listenTls } from './tcp-and-tls.ts'
import { openUdp, type Udp } from './udp.ts'
import { WebSockets, type TakenUpgrade } from './ws.ts'

export interface Listen {
  host: string
  port: number
}

export interface TransportsOptions {
  clock: Clock
  /** The machine that we run on; default: read from the system. */
  host?: OwnHost
  /** UDP and TCP on the same port; 0 picks one that is free for both. */
  listen: Listen
  tls?: Listen | undefined
  ws?: Listen | undefined
  wss?: Listen | undefined
  /** Needed for `tls` and `wss`. */
  certificate?: Certificate | undefined
  /** PEM; authorities for the certificates of servers that we connect to. Default: those of Node. */
  trustedAuthorities?: string | undefined
  /** Our address for peers outside of our own network. */
  publicAddress?: string | undefined
  /** Maximum connections per address; default: unlimited. */
  connectionsFor?: (address: string) => number
  onMessage: (message: Uint8Array, from: Flow) => void
  onClosed: (connection: number, flow: Flow) => void
  /** A stream that was not SIP; it was closed. */
  onBroken?: (from: Flow) => void
  /** A connection could not be opened. */
  onUnreachable?: (to: Flow) => void
  /** A socket error that does not concern a single message; the socket stays open. */
  onError?: (error: Error) => void
}

const CONNECT_MS = 5_000
/** An hour and a bit: a phone that registers for an hour and is otherwise silent stays reachable. */
const IDLE_MS = 3_610_000
const MESSAGE_MS = 10_000
const IN_ALL = 5_000
const PORT_TRIES = 20

/** All SIP sockets. */
export class Transports implements Transport {
  readonly responses = new ResponseCounts()
  readonly #options: TransportsOptions
  readonly #connections: Connections
  readonly #webSockets: WebSockets
  readonly #limit: ConnectionLimit
  readonly #servers = new Map<Exclude<TransportKind, 'udp'>, Server>()
  #udp: Udp | undefined
  #bound = ''
  #hostTowards: (towards: string) => string = () => ''
  #closing: Promise<void> | undefined

  private constructor(options: TransportsOptions) {
    const { clock, onClosed, connectionsFor = () => IN_ALL } = options
    this.#options = options
    const onMessage = (message: Uint8Array, from: Flow): void => this.#receive(message, from)
    this.#limit = new ConnectionLimit({ most: (address) => connectionsFor(plainAddress(address)), inAll: IN_ALL })
    this.#connections = new Connections({ clock, times: { messageMs: MESSAGE_MS, idleMs: IDLE_MS }, onMessage, onClosed })
    this.#webSockets = new WebSockets({ clock, connections: this.#connections, limit: this.#limit })
  }

  static async open(options: TransportsOptions): Promise<Transports> {
    if ((options.tls || options.wss) && !options.certificate) throw new Error('TLS needs a certificate and its key')
    const transports = new Transports(options)
    try {
      await transports.#listen()
    } catch (error) {
      await transports.close()
      throw error
    }
    return transports
  }

  /** Port of each transport; undefined for those without one. */
  port(kind: TransportKind): number | undefined {
    if (kind === 'udp') return this.#udp?.port
    const server = this.#servers.get(kind)
    return server && (server.address() as AddressInfo | null)?.port
  }

  /** Address families reachable from the listening address. */
  get families(): readonly (4 | 6)[] {
    if (this.#bound === '::') return [4, 6]
    return isIPv6(this.#bound) ? [6] : [4]
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.size
  }

  /** SIP over WebSocket on a shared web server. */
  takeUpgrade(upgrade: TakenUpgrade): void {
    if (this.#closing) upgrade.socket.destroy()
    else this.#webSockets.take(upgrade)
  }

  /** Whether messages can be sent there: always over UDP, otherwise while the peer's connection is open. */
  reaches(to: Flow): boolean {
    return to.kind === 'udp' || this.#connections.find(to) !== undefined
  }

  send(message: Uint8Array, to: Flow, failed: (error: Error) => void): void {
    this.responses.note('sent', message)
    if (this.#closing) process.nextTick(failed, new Error('closed'))
    else if (to.kind === 'udp') this.#udp?.send(message, to, failed)
    else this.#sendConnected(message, to, failed)
  }

  localAddress(kind: TransportKind, towards: string): { host: string; port: number } {
    // Over a transport without a listening port, the peer answers on the connection that we opened.
    return { host: this.#hostTowards(towards), port: this.port(kind) ?? this.port('udp') ?? 0 }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll())
  }

  /** No message may end the process, whatever its content. */
  #receive(message: Uint8Array, from: Flow): void {
    try {
      this.responses.note('received', message)
      this.#options.onMessage(message, from)
    } catch (error) {
      this.#options.onError?.(error as Error)
    }
  }

  async #listen(): Promise<void> {
    const { clock, host = new OwnHost({ clock }), listen, tls, ws, wss, certificate, publicAddress } = this.#options
    this.#bound = await addressOf(listen.host)
    this.#hostTowards = ownAddress({ host, bound: this.#bound, advertised: publicAddress })
    await this.#listenPair(listen.port)
    const at = async ({ host, port }: Listen) => ({ address: await addressOf(host), port })
    if (tls && certificate)
      this.#serve('tls', await listenTls(await at(tls), certificate, this.#limit, (socket) => this.#accept('tls', socket)))
    if (ws) this.#serve('ws', await this.#webSockets.listen(await at(ws)))
    if (wss && certificate) this.#serve('wss', await this.#webSockets.listen(await at(wss), certificate))
  }

  /** UDP chooses the port, TCP must get the same; if that one is taken, another is chosen. */
  async #listenPair(port: number): Promise<void> {
    const { onError = () => {} } = this.#options
    const onMessage = (message: Uint8Array, from: Flow): void => this.#receive(message, from)
    const address = this.#bound
    for (let tries = port === 0 ? PORT_TRIES : 1; ; tries--) {
      const udp = await openUdp({ address, port, onMessage, onError })
      try {
        this.#serve('tcp', await listenTcp({ address, port: udp.port }, this.#limit, (socket) => this.#accept('tcp', socket)))
        this.#udp = udp
        return
      } catch (error) {
        await udp.close()
        if (tries <= 1 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      }
    }
  }

  #serve(kind: Exclude<TransportKind, 'udp'>, server: Server): void {
    server.on('error', this.#options.onError ?? (() => {}))
    this.#servers.set(kind, server)
  }

  #accept(kind: 'tcp' | 'tls', socket: Socket): void {
    const flow = { kind, address: plainAddress(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 }
    this.#join(socket, flow).expectMessage()
  }

  #sendConnected(message: Uint8Array, to: Flow, failed: (error: Error) => void): void {
    const connection = this.#connections.find(to) ?? this.#connect(to)
    if (connection) connection.send(message, failed)
    else process.nextTick(failed, new Error('the connection is gone'))
  }

  /** Only the transports of servers; browsers connect to us. */
  #connect(to: Flow) {
    if (to.connection !== undefined || (to.kind !== 'tcp' && to.kind !== 'tls')) return undefined
    const local = isAnyAddress(this.#bound) ? undefined : this.#bound
    const socket = to.kind === 'tcp' ? connectTcp(to, local) : connectTls(to, local, this.#options.trustedAuthorities)
    const { clock, onUnreachable } = this.#options
    const stop = clock.after(CONNECT_MS, () => socket.destroy(new Error('not connected in time')))
    const failed = (): void => {
      stop()
      onUnreachable?.(to)
    }
    socket.once('close', failed)
    socket.once(to.kind === 'tcp' ? 'connect' : 'secureConnect', () => {
      stop()
      socket.off('close', failed)
    })
    return this.#join(socket, to)
  }

  #join(socket: Socket, flow: Flow) {
    return joinStream(socket, flow, this.#connections, this.#options.onBroken ?? (() => {}))
  }

  async #closeAll(): Promise<void> {
    const closed = [...this.#servers.values()].map(async (server) => {
      server.close()
      await once(server, 'close')
    })
    this.#limit.destroyAll()
    await Promise.all([...closed, this.#connections.destroyAll(), this.#udp?.close()])
  }
}

const isAnyAddress = (address: string): boolean => address === '0.0.0.0' || address === '::'

const addressOf = async (host: string): Promise<string> => (await lookup(host)).address

const zero = 48
/** `SIP/2.0 ` precedes the status. */
const statusAt = 8
/** Methods have no slash, so a request never begins with `SIP/`. */
const isResponse = (message: Uint8Array): boolean =>
  message[0] === 0x53 && message[1] === 0x49 && message[2] === 0x50 && message[3] === 0x2f

type Direction = 'sent' | 'received'

/** Responses by the first digit of their status, including repetitions. */
export class ResponseCounts {
  readonly #counts = { sent: new Float64Array(7), received: new Float64Array(7) }

  note(direction: Direction, message: Uint8Array): void {
    if (!isResponse(message)) return
    const digit = (message[statusAt] ?? 0) - zero
    const counts = this.#counts[direction]
    if (digit >= 1 && digit <= 6) counts[digit] = (counts[digit] ?? 0) + 1
  }

  /** Includes zero counts: a rate needs a start. */
  get entries(): { direction: Direction; class: string; count: number }[] {
    const all = Object.entries(this.#counts) as [Direction, Float64Array][]
    return all.flatMap(([direction, counts]) => [...counts].slice(1).map((count, at) => ({ direction, class: `${at + 1}xx`, count })))
  }
}
