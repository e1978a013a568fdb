import { isIPv6 } from 'node:net'
import type { Receive, SocketAddress, Udp, UdpSocket } from '../socket.ts'
import { SourceLock } from '../source-lock.ts'
import type { FaxRemote } from './engine.ts'

/** One port, and who may speak to it: as SourceLock says. */
export class FaxSocket {
  readonly #address: string
  readonly #arrived: (bytes: Uint8Array) => number | undefined
  #socket: UdpSocket | undefined
  #line: FaxRemote | undefined
  #lock: SourceLock | undefined
  #connected = false
  #reachable = false

  private constructor(address: string, arrived: (bytes: Uint8Array) => number | undefined) {
    this.#address = address
    this.#arrived = arrived
  }

  /** `arrived` gives who sent it, undefined for what does not belong here. Throws PortTaken. */
  static async open(udp: Udp, address: string, port: number, arrived: (bytes: Uint8Array) => number | undefined): Promise<FaxSocket> {
    const socket = new FaxSocket(address, arrived)
    socket.#socket = await udp.open(address, port, socket.#receive)
    return socket
  }

  turnTo(line: FaxRemote): void {
    const { remote, source } = line
    if (this.#line && this.#line.source === source && isSame(this.#line.remote, remote)) return
    this.#line = line
    this.#reachable = remote.port !== 0 && !/^[0:.]*$/.test(remote.address) && (!isIPv6(remote.address) || this.#address.includes(':'))
    this.#connected = false
    this.#lock = new SourceLock(remote, source)
    if (this.#reachable) this.#socket?.aim(remote)
  }

  send(bytes: Uint8Array): void {
    if (this.#reachable) this.#socket?.send(bytes, bytes.length)
  }

  close(): void {
    this.#socket?.close()
  }

  readonly #receive: Receive = (bytes, length, from) => {
    const lock = this.#lock
    if (!lock?.admits(from)) return
    const source = this.#arrived(bytes.subarray(0, length))
    if (source === undefined || !lock.confirm(from, source) || this.#connected || !from) return
    if (lock.locked) this.#connect(lock.locked)
    else if (this.#line?.source === 'behind-nat') this.#answerTo(from)
  }

  #connect(to: SocketAddress): void {
    this.#connected = true
    this.#reachable = true
    this.#socket?.connect(to)
  }

  /** Over UDPTL somebody may wait for us after a single word; there may never be enough of them for the lock. */
  #answerTo(candidate: SocketAddress): void {
    this.#reachable = true
    this.#socket?.aim(candidate)
  }
}

const isSame = (a: SocketAddress, b: SocketAddress): boolean => a.port === b.port && a.address === b.address
