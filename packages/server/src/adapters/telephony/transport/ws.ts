import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { isKeepAlive } from '@offhook/sip/message/framing.ts'
import { limits } from '@offhook/sip/grammar/scan.ts'
import { plainAddress } from './networks.ts'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import type { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'
import type { Connections } from './connections.ts'

interface WebSocketsOptions {
  clock: Clock
  connections: Connections
  limit: ConnectionLimit
}

/** A web server's upgrade request for a WebSocket. */
export interface TakenUpgrade {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  /** Client address; behind a trusted proxy the one that it reports. */
  ip: string
}

const HANDSHAKE_MS = 10_000
const PING_EVERY_MS = 20_000
const MOST_MISSED_PONGS = 2
const PONG = Buffer.from('\r\n')

/** SIP over WebSocket (RFC 7118), server side. A phone authenticates by digest, so the Origin header is not checked. */
export class WebSockets {
  readonly #options: WebSocketsOptions
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.streamBytes,
    perMessageDeflate: false,
    handleProtocols: () => 'sip', // rejected below without it
  })

  constructor(options: WebSocketsOptions) {
    this.#options = options
  }

  /** A separate server; with a certificate for wss. Accepts every path. */
  async listen({ address, port }: { address: string; port: number }, certificate?: Certificate): Promise<Server> {
    const timeouts = { headersTimeout: HANDSHAKE_MS, requestTimeout: HANDSHAKE_MS }
    const server = certificate ? tlsServer(timeouts, certificate) : createServer(timeouts)
    server.on('connection', (socket) => void this.#options.limit.admit(socket))
    server.on('request', (_request, reply) => reply.writeHead(426, { connection: 'close' }).end())
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head, remoteAddress(request)))
    server.on('clientError', (_error, socket) => socket.destroy())
    server.listen(port, address)
    await once(server, 'listening')
    return server
  }

  /** A phone that connected to a shared server. */
  take({ request, socket, head, ip }: TakenUpgrade): void {
    if (this.#options.limit.admit(request.socket, ip)) this.#upgrade(request, socket, head, plainAddress(ip))
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    socket.on('error', () => socket.destroy())
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim().toLowerCase())
    if (!offered.includes('sip')) return refuse(socket, 400)
    this.#server.handleUpgrade(request, socket, head, (client) => this.#accept(client, request.socket, address))
  }

  #accept(client: WebSocket, socket: Socket, address: string): void {
    const { connections } = this.#options
    const kind = 'encrypted' in socket ? 'wss' : 'ws'
    const connection = connections.add(
      { kind, address, port: socket.remotePort ?? 0 },
      {
        write: (message, done) => client.send(message, { binary: !isUtf8(message) }, done),
        waiting: () => client.bufferedAmount,
        destroy: () => client.terminate(),
      },
    )
    connection.expectMessage()
    client.on('message', (data: RawData) => {
      const message = data as Buffer // the default binaryType gives one Buffer per message
      if (!isKeepAlive(message)) connections.received(connection, message)
      else if (message.length === 4) client.send(PONG)
    })
    client.on('error', () => client.terminate())
    const stopPings = this.#keepAlive(client)
    client.on('close', () => {
      stopPings()
      connections.closed(connection)
    })
  }

  /** Browsers cannot send pings; ours detect a peer that disappeared. */
  #keepAlive(client: WebSocket): () => void {
    let missed = 0
    const ping = (): void => {
      if (missed++ >= MOST_MISSED_PONGS) return client.terminate()
      client.ping()
      stop = this.#options.clock.after(PING_EVERY_MS, ping)
    }
    let stop = this.#options.clock.after(PING_EVERY_MS, ping)
    client.on('pong', () => {
      missed = 0
    })
    return () => stop()
  }
}

const tlsServer = (timeouts: ServerOptions, { cert, key, onRenewed }: Certificate): Server => {
  const server = createTlsServer({ ...timeouts, cert, key, handshakeTimeout: HANDSHAKE_MS })
  onRenewed?.((renewed) => server.setSecureContext(renewed))
  return server
}

const remoteAddress = (request: IncomingMessage): string => plainAddress(request.socket.remoteAddress ?? '')

const refuse = (socket: Duplex, status: number): void => {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
