import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { closedWith } from '../http/loopback-server.ts'
import type { Scope } from '../machine/temporary-folder.ts'

/** Typical customer's WebSocket server. */
export interface AssistantSocket {
  readonly url: string
  /** Address for OFFHOOK_EGRESS_ALLOW. */
  readonly address: string
  readonly events: readonly AssistantEvent[]
  /** Request headers of each connection. */
  readonly handshakes: readonly IncomingHttpHeaders[]
}

/** Keeps received events; `told` may answer. */
export const startAssistantSocket = async (
  t: Scope,
  notifications: (event: AssistantEvent, socket: WebSocket) => void = () => {},
): Promise<AssistantSocket> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = closedWith(t, server)
  const sockets = new WebSocketServer({ server })
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
