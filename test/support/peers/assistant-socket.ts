import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { closedWith } from '../http/loopback-server.ts'
import type { Scope } from '../machine/temporary-folder.ts'

/** A customer's WebSocket server as a customer would write it. */
export interface AssistantSocket {
  readonly url: string
  /** For OFFHOOK_EGRESS_ALLOW. */
  readonly address: string
  readonly events: readonly AssistantEvent[]
  /** Of each connection, those that it began with. */
  readonly handshakes: readonly IncomingHttpHeaders[]
}

/** Keeps what it is told; `told` may answer. */
export const startAssistantSocket = async (
  t: Scope,
  notifications: (event: AssistantEvent, socket: WebSocket) => void = () => {},
): Promise<AssistantSocket> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = closedWith(t, server)
  const sockets = new WebSocketServer({ server })
  t.after(() => sockets.clients.forEach((socket) => socket.terminate()))
  const events: AssistantEvent[] = []
  const handshakes: IncomingHttpHeaders[] = []
  sockets.on('connection', (socket, { headers }) => {
    handshakes.push(headers)
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as AssistantEvent
      events.push(event)
      notifications(event, socket)
    })
  })
  return { url: `ws://${address}/`, address, events, handshakes }
}
