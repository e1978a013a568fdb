import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'
import { isKeepAlive } from '../../../sip/framing.ts'
import type { Flow } from '../../../sip/transport.ts'
import { plainAddress } from '../networks.ts'

export interface UdpOptions {
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

/** Room for what arrives while the main thread is busy for a moment. */
const RECEIVE_BUFFER = 1024 * 1024

export const openUdp = async ({ address, port, onMessage, onError }: UdpOptions): Promise<Udp> => {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BUFFER })
  socket.bind(port, address)
  await once(socket, 'listening').catch((error: unknown) => {
    socket.close()
    throw error
  })
  socket.on('error', onError) // without it an ICMP message could end the process
  socket.on('message', (message, from) => {
    if (!isKeepAlive(message)) onMessage(message, flowOf(from))
  })
  return {
    port: socket.address().port,
    send: (message, to, failed) => send(socket, isIPv6(address), message, to, failed),
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  }
}

const flowOf = ({ address, port }: RemoteInfo): Flow => ({ kind: 'udp', address: plainAddress(address), port })

const send = (socket: Socket, ipv6: boolean, message: Uint8Array, { address, port }: Flow, failed: (error: Error) => void): void => {
  const destination = ipv6 && isIPv4(address) ? `::ffff:${address}` : address
  try {
    socket.send(message, port, destination, (error) => {
      if (error) failed(error)
    })
  } catch (error) {
    process.nextTick(failed, error) // closed, or a port that is none
  }
}
