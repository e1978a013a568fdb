import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'

interface Connection {
  /** Sequence number of its opening or last use. */
  since: number
  /** Unfinished replies. */
  replies: Set<ServerResponse>
  isUpgraded: boolean
}

export interface ConnectionLimits {
  /** Maximum concurrent connections, in total and per address. */
  total: number
  perAddress: number
}

/** Limits the number of connections. At the limit, closes an idle one in favour of a new one. */
export const limitConnections = (server: Server, { total, perAddress }: ConnectionLimits): void => {
  let order = 0
  const connections = new WeakMap<Socket, Connection>()
  const waitingSince = (socket: Socket): number | undefined => {
    const connection = connections.get(socket)
    return connection && isWaiting(connection) ? connection.since : undefined
  }
  const limit = new ConnectionLimit<Socket>({ most: () => perAddress, inAll: total, waitingSince })

  // One shared listener: one per reply would cost every request.
  const over = function (this: ServerResponse): void {
    const connection = connections.get(this.req.socket)
    if (!connection) return
    connection.replies.delete(this)
    connection.since = order++
  }

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: order++, replies: new Set(), isUpgraded: false })
    limit.admit(socket)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (!connection) return
    connection.replies.add(response)
    connection.since = order++
    response.on('close', over)
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const connection = connections.get(socket)
    if (connection) connection.isUpgraded = true
  })
}

/** Idle: no request, an incomplete body, or a reply that is not read yet. */
const isWaiting = ({ replies, isUpgraded }: Connection): boolean =>
  !isUpgraded && [...replies].every((reply) => !reply.req.complete || reply.writableEnded)
