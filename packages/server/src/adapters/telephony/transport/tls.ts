import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, createServer, type Server, type TLSSocket } from 'node:tls'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import type { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'

const HANDSHAKE_MS = 10_000
const MIN_VERSION = 'TLSv1.2'

export const listenTls = async (
  { address, port }: { address: string; port: number },
  { cert, key, onRenewed }: Certificate,
  limit: ConnectionLimit,
  onSocket: (socket: TLSSocket) => void,
): Promise<Server> => {
  const server = createServer({ cert, key, minVersion: MIN_VERSION, handshakeTimeout: HANDSHAKE_MS, noDelay: true }, onSocket)
  onRenewed?.((renewed) => server.setSecureContext({ ...renewed, minVersion: MIN_VERSION }))
  server.on('connection', (raw) => void limit.admit(raw))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.listen(port, address)
  await once(server, 'listening')
  return server
}

/** `ca`: the authorities that may have signed the peer's certificate; those that Node knows unless given. */
export const connectTls = (to: Flow, localAddress: string | undefined, ca: string | undefined): TLSSocket => {
  const name = to.serverName ?? to.address
  return connect({
    host: to.address,
    port: to.port,
    minVersion: MIN_VERSION,
    // An address has no SNI; the certificate is checked for it all the same.
    ...(isIP(name) === 0 && { servername: name }),
    ...(localAddress !== undefined && { localAddress }),
    ...(ca !== undefined && { ca }),
  })
}
