import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'

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

/** Not connected yet: what is written meanwhile waits. */
export const connectTcp = (to: { address: string; port: number }, localAddress: string | undefined): Socket =>
  connect({ host: to.address, port: to.port, noDelay: true, ...(localAddress !== undefined && { localAddress }) })
