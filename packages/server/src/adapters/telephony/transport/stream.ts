import type { Socket } from 'node:net'
import { respond } from '@offhook/sip/message/build.ts'
import { StreamFramer } from '@offhook/sip/message/framing.ts'
import type { BrokenMessage } from '@offhook/sip/message/broken-message.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'

const PONG = Buffer.from('\r\n')
/** A peer that sends keep-alives in masses gets no answer to most of them. */
const MOST_PONGS = 4

/** Joins a TCP or TLS socket to its connection: bytes to messages, keep-alives answered; what is not SIP ends it. */
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

/** Answers with the reason, if the message can be answered. */
const hangUp = (socket: Socket, { address, port }: Flow, { status, received }: BrokenMessage): void => {
  socket.pause()
  if (received?.kind !== 'request' || received.method === 'ACK') return void socket.destroy()
  socket.end(respond(received, status, { source: { address, port } }), () => socket.destroy())
}
