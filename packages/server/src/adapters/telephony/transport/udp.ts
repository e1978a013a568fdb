import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'
import { isKeepAlive } from '@offhook/sip/message/framing.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { plainAddress } from './networks.ts'

interface UdpOptions {
  address: string
  port: number
  onMessage: (message: Uint8Array, from: Flow) => void
  onError: (error: Error) => void
}

export interface Udp {
  readonly port: number
  send(message: Uint8Array, to: Flow, failed: (error: Error) => void): void
  close: () => Promise<void>
}

/** Buffers messages while the main thread is briefly busy. */
const RECEIVE_BUFFER = 1024 * 1024

export const openUdp = async ({ address, port, onMessage, onError }: UdpOptions): Promise<Udp> => {
  const ipv6 = isIPv6(address)
  const socket = createSocket({ type: ipv6 ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BUFFER, lookup })
  const listening = once(socket, 'listening') // binding may complete immediately
  socket.bind(port, address)
  await listening.catch((error: unknown) => {
    socket.close()
    throw error
  })
  socket.on('error', onError) // without it an ICMP error could end the process
  socket.on('message', (message, from) => {
    if (!isKeepAlive(message)) onMessage(message, flowOf(from))
  })
  return {
    port: socket.address().port,
    send: (message, to, failed) => send(socket, ipv6, message, to, failed),
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  }
}

/** Flows have addresses, never names: without a lookup no event-loop turn is lost per message. */
const lookup: NonNullable<SocketOptions['lookup']> = (address, _options, found) => found(null, address, address.includes(':') ? 6 : 4)

const flowOf = ({ address, port }: RemoteInfo): Flow => ({ kind: 'udp', address: plainAddress(address), port })

const send = (socket: Socket, ipv6: boolean, message: Uint8Array, { address, port }: Flow, failed: (error: Error) => void): void => {
  const destination = ipv6 && isIPv4(address) ? `::ffff:${address}` : address
  try {
    socket.send(message, port, destination, (error) => {
      if (error) failed(error)
    })
  } catch (error) {
    process.nextTick(failed, error) // closed, or an invalid port
  }
}
