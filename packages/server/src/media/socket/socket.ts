export interface SocketAddress {
  address: string
  port: number
}

/**
 * A packet came. The bytes are only valid during the call: the next packet is read into the same memory.
 * `from` is missing once the socket is connected: then the kernel lets no other source through.
 */
export type Receive = (bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number) => void

/** One UDP port. Errors of single packets (port unreachable, no route) are not errors here: the next packet may get through. */
export interface UdpSocket {
  readonly port: number
  /** If there is one, it belongs to the process and outlives the thread that opened it. */
  readonly descriptor: number | undefined
  /** From here on packets go there, and nothing is received from anywhere else. */
  connect(to: SocketAddress): void
  /** Packets go there, and may come from anywhere. */
  aim(to: SocketAddress): void
  /** The bytes may be used again at once. */
  send(bytes: Uint8Array, length: number): void
  close(): void
  /** As close, but a descriptor stays open: the main thread closes it. */
  release(): void
}

/** Takes packets of connected sockets before anybody else sees them. Each socket has a row there, from 1 on. */
export interface Shortcut {
  /** Gives the row of the socket that has to send the packet, with bytes that are changed by now; 0: it ends here; -1: it is not taken. */
  takes(row: number, bytes: Uint8Array, length: number, nowMs: number): number
  /** By the socket of this row, if that cannot be done directly. */
  transmit(row: number, bytes: Uint8Array, length: number): void
}

/** How a worker reaches the network. */
export interface Udp {
  readonly kind: UdpKind
  /**
   * Throws PortTaken. The port is a real one: 0 would get lost when the socket is aimed again. `row`: of the shortcut, if what comes from the one
   * sender may be taken by that.
   */
  open(address: string, port: number, receive: Receive, row?: number): Promise<UdpSocket>
  /** Hands out everything that has arrived, as of `nowMs`. */
  poll(nowMs: number): void
  close(): void
}

export type UdpKind = 'koffi' | 'dgram'

export class PortTaken extends Error {
  constructor(port: number) {
    super(`UDP port ${port} cannot be opened`)
    this.name = 'PortTaken'
  }
}
