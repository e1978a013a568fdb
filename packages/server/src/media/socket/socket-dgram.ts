import { createSocket, type Socket } from 'node:dgram'
import { permitMemory, SendPermit } from './send-permit.ts'
import { canonicalAddress, PortTaken, type Receive, type SocketAddress, type Udp, type UdpSocket } from './socket.ts'

interface SocketDeps {
  receive: Receive
  permit: SendPermit
  closed: (socket: DgramSocket) => void
}

/**
 * For systems without koffi. Node connects sockets asynchronously; these are never connected, so every packet is checked by its sender,
 * which costs little in comparison.
 */
class DgramSocket implements UdpSocket {
  readonly descriptor = undefined
  readonly port: number
  readonly #socket: Socket
  readonly #v6: boolean
  readonly #deps: SocketDeps
  #target: SocketAddress | undefined
  #onlyFrom: SocketAddress | undefined
  #open = true

  constructor(socket: Socket, v6: boolean, deps: SocketDeps) {
    this.#socket = socket
    this.#v6 = v6
    this.#deps = deps
    this.port = socket.address().port
    socket.on('message', (bytes, sender) => this.#arrived(bytes, { address: canonicalAddress(sender.address), port: sender.port }))
    socket.on('error', () => {}) // an ICMP error for one packet
  }

  #arrived(bytes: Buffer, from: SocketAddress): void {
    if (!this.#open) return
    const nowMs = performance.now()
    if (!this.#onlyFrom) return this.#deps.receive(bytes, bytes.length, from, nowMs)
    if (from.port === this.#onlyFrom.port && from.address === this.#onlyFrom.address)
      this.#deps.receive(bytes, bytes.length, undefined, nowMs)
  }

  connect(to: SocketAddress): void {
    this.aim(to)
    this.#onlyFrom = { address: canonicalAddress(to.address), port: to.port }
  }

  aim(to: SocketAddress): void {
    const mapped = this.#v6 && !to.address.includes(':') ? `::ffff:${to.address}` : to.address
    this.#target = { address: mapped, port: to.port }
    this.#onlyFrom = undefined
  }

  send(bytes: Uint8Array, length: number): void {
    if (!this.#open || !this.#target || !this.#deps.permit.isOpen) return
    // Node reads the bytes later, when the caller has already reused its buffer.
    const copy = Buffer.from(bytes.subarray(0, length))
    this.#socket.send(copy, this.#target.port, this.#target.address, ignore)
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#socket.close()
    this.#deps.closed(this)
  }

  release(): void {
    this.close()
  }
}

const ignore = (): void => {}

/** Host names are never used: without this each packet waits an event-loop turn for the resolver. */
const lookup = (address: string, _options: unknown, done: (error: null, address: string, family: number) => void): void =>
  done(null, address, address.includes(':') ? 6 : 4)

class DgramUdp implements Udp {
  readonly kind = 'dgram'
  readonly #sockets = new Set<DgramSocket>()
  readonly #permit: SendPermit

  constructor(permit: SendPermit) {
    this.#permit = permit
  }

  async open(address: string, port: number, receive: Receive): Promise<UdpSocket> {
    const v6 = address.includes(':')
    const bare = createSocket({ type: v6 ? 'udp6' : 'udp4', lookup })
    await new Promise<void>((resolve, reject) => {
      bare.once('error', () => {
        bare.close()
        reject(new PortTaken(port))
      })
      bare.bind(port, address, resolve)
    })
    bare.removeAllListeners('error')
    const socket = new DgramSocket(bare, v6, { receive, permit: this.#permit, closed: (closed) => this.#sockets.delete(closed) })
    this.#sockets.add(socket)
    return socket
  }

  poll(): void {}

  close(): void {
    for (const socket of this.#sockets) socket.close()
  }
}

export const openDgram = (permit = new SendPermit(permitMemory())): Udp => new DgramUdp(permit)
