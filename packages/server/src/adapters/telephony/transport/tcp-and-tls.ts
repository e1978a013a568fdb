import { type Socket, connect, createServer, type Server, isIP } from 'node:net'
import { respond } from '@offhook/sip/message/build.ts'
import { StreamFramer } from '@offhook/sip/message/framing.ts'
import type { BrokenMessage } from '@offhook/sip/message/message.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { Connection, Connections } from './connections.ts'
import { once } from 'node:events'
import type { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'
import { connect as connectOverTls, createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls'
import type { Certificate } from '#core/kernel/network/certificate.ts'

const PONG = Buffer.from('\r\n')
/** A peer that floods keep-alives gets no answer to most of them. */
const MOST_PONGS = 4

/** Connects a TCP or TLS socket: parses messages and answers keep-alives; data that is not SIP closes it. */
export const joinStream = (socket: Socket, flow: Flow, connections: Connections, onBroken: (from: Flow) => void): Connection => {
  const connection = connections.add(flow, {
    write: (message, done) => void socket.write(message, done),
    waiting: () => socket.writableLength,
    destroy: () => void socket.destroy(),
  })
  const framer = new StreamFramer()
  socket.on('data', (chunk: Buffer) => {
    const { messages, pings, broken } = framer.feed(chunk)
    for (const message of messages) connections.received(connection, message)
    for (let pong = 0; pong < Math.min(pings, MOST_PONGS); pong++) socket.write(PONG)
    if (framer.partial) connection.expectMessage()
    if (!broken) return
    onBroken(flow)
    hangUp(socket, flow, broken)
  })
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.end())
  socket.on('close', () => connections.closed(connection))
  return connection
}

/** Sends the reason, if the message can be answered. */
const hangUp = (socket: Socket, { address, port }: Flow, { status, received }: BrokenMessage): void => {
  socket.pause()
  if (received?.kind !== 'request' || received.method === 'ACK') return void socket.destroy()
  socket.end(respond(received, status, { source: { address, port } }), () => socket.destroy())
}

export const listenTcp = async (
  { address, port }: { address: string; port: number },
  limit: ConnectionLimit,
  onSocket: (socket: Socket) => void,
): Promise<Server> => {
  const server = createServer({ noDelay: true }, (socket) => {
    if (limit.admit(socket)) onSocket(socket)
  })
  server.listen(port, address)
  await once(server, 'listening')
  return server
}

/** Still connecting: writes are queued until then. */
export const connectTcp = (to: { address: string; port: number }, localAddress: string | undefined): Socket =>
  connect({ host: to.address, port: to.port, noDelay: true, ...(localAddress !== undefined && { localAddress }) })

const HANDSHAKE_MS = 10_000
const MIN_VERSION = 'TLSv1.2'

export const listenTls = async (
  { address, port }: { address: string; port: number },
  { cert, key, onRenewed }: Certificate,
  limit: ConnectionLimit,
  onSocket: (socket: TLSSocket) => void,
): Promise<TlsServer> => {
  const server = createTlsServer({ cert, key, minVersion: MIN_VERSION, handshakeTimeout: HANDSHAKE_MS, noDelay: true }, onSocket)
  onRenewed?.((renewed) => server.setSecureContext({ ...renewed, minVersion: MIN_VERSION }))
  server.on('connection', (raw) => void limit.admit(raw))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.listen(port, address)
  await once(server, 'listening')
  return server
}

/** `ca`: authorities for the peer's certificate; default: those of Node. */
export const connectTls = (to: Flow, localAddress: string | undefined, ca: string | undefined): TLSSocket => {
  const name = to.serverName ?? to.address
  return connectOverTls({
    host: to.address,
    port: to.port,
    minVersion: MIN_VERSION,
    // An address has no SNI; the certificate is verified for it nevertheless.
    ...(isIP(name) === 0 && { servername: name }),
    ...(localAddress !== undefined && { localAddress }),
    ...(ca !== undefined && { ca }),
  })
}
