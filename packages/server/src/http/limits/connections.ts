import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

interface Connection {
  /** Its place in the order in which connections came or were last used. */
  since: number
  exchanges: Set<Exchange>
  isUpgraded: boolean
}

export interface ConnectionLimits {
  /** Connections that are open at the same time, from all together and from each address. */
  total: number
  perAddress: number
}

/** Limits the number of connections. When there is no room, an idle one is closed in favour of a new one. */
export const limitConnections = (server: Server, { total, perAddress }: ConnectionLimits): void => {
  let order = 0
  const connections = new WeakMap<Socket, Connection>()
  const waitingSince = (socket: Socket): number | undefined => {
    const connection = connections.get(socket)
    return connection && isWaiting(connection) ? connection.since : undefined
  }
  const limit = new ConnectionLimit<Socket>({ most: () => perAddress, inAll: total, waitingSince })

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: order++, exchanges: new Set(), isUpgraded: false })
    limit.admit(socket)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (!connection) return
    const exchange = { request, response }
    connection.exchanges.add(exchange)
    connection.since = order++
    response.once('close', () => {
      connection.exchanges.delete(exchange)
      connection.since = order++
    })
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const connection = connections.get(socket)
    if (connection) connection.isUpgraded = true
  })
}

/** Idle: no request, or a body that is still to come, or a reply that is still to be read. */
const isWaiting = ({ exchanges, isUpgraded }: Connection): boolean =>
  !isUpgraded && [...exchanges].every(({ request, response }) => !request.complete || response.writableEnded)
