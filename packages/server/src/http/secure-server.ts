import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'

const handshakeMs = 10_000
/** More than the server behind them takes, which answers 503 where this one can only reset. */
const limits = { most: () => 300, inAll: 1_100 }

/**
 * The same API over TLS. Decrypted connections are handed to the server behind `app`, so that its limits, timeouts and
 * upgrades apply to them, too. `app` must not listen yet; the returned function listens and returns the address.
 */
export const serveSecurely = (
  app: FastifyInstance,
  { cert, key, onRenewed }: Certificate,
): ((at: { host: string; port: number }) => Promise<string>) => {
  const limit = new ConnectionLimit(limits)
  const handshakes = new Map<string, Socket>()
  const server = createServer({ cert, key, handshakeTimeout: handshakeMs, ALPNProtocols: ['http/1.1'], noDelay: true })
  onRenewed?.((renewed) => server.setSecureContext(renewed))
  server.on('connection', (raw: Socket) => {
    if (!limit.admit(raw)) return
    const peer = peerOf(raw)
    handshakes.set(peer, raw)
    raw.once('close', () => handshakes.delete(peer))
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('secureConnection', (socket) => {
    handshakes.delete(peerOf(socket))
    app.server.emit('connection', socket)
  })
  // The server behind `app` closes idle connections, but does not wait for those that were handed to it.
  app.addHook('preClose', async () => {
    const closed = new Promise((done) => server.close(done))
    for (const socket of handshakes.values()) socket.destroy()
    await closed
  })
  return async ({ host, port }) => {
    server.listen(port, host)
    await once(server, 'listening')
    return `https://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
