import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyReply } from 'fastify'
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

/** Connections beyond the limit that wait for their 503 at the same time; further ones are reset. */
const maxRejected = 100

/**
 * Limits the number of connections. At the limit, closes an idle one in favour of a new one. Without an idle one, the new connection is
 * added to `rejected`: its request is answered 503.
 */
export const limitConnections = (server: Server, { total, perAddress }: ConnectionLimits, rejected: WeakSet<Socket>): void => {
  let order = 0
  const connections = new WeakMap<Socket, Connection>()
  const waitingSince = (socket: Socket): number | undefined => {
    const connection = connections.get(socket)
    return connection && isWaiting(connection) ? connection.since : undefined
  }
  let rejectedNow = 0
  const onFull = (socket: Socket): void => {
    if (rejectedNow >= maxRejected) return void socket.destroy()
    rejectedNow++
    rejected.add(socket)
    socket.once('close', () => rejectedNow--)
  }
  const limit = new ConnectionLimit<Socket>({ most: () => perAddress, inAll: total, waitingSince, onFull })

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

/** Reply to a request on a connection beyond the limit. */
export const noRoom = (reply: FastifyReply): Problem => {
  void reply.header('connection', 'close')
  return new Problem('unavailable', 'Too many connections are open. Close idle ones, reuse the others, and try again.', { retryAfter: 1 })
}

/** Idle: no request, an incomplete body, or a reply that is not read yet. */
const isWaiting = ({ replies, isUpgraded }: Connection): boolean =>
  !isUpgraded && [...replies].every((reply) => !reply.req.complete || reply.writableEnded)
