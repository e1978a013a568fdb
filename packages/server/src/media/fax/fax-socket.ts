import { isIPv6 } from 'node:net'
import type { Receive, SocketAddress, Udp, UdpSocket } from '../socket/socket.ts'
import { isSame, SourceLock } from '../socket/source-lock.ts'
import type { FaxRemote } from './engine.ts'

/** One port, and the source that it accepts: as SourceLock says. */
export class FaxSocket {
  readonly #address: string
  readonly #arrived: (bytes: Uint8Array) => boolean
  #socket: UdpSocket | undefined
  #line: FaxRemote | undefined
  #lock: SourceLock | undefined
  #target: SocketAddress | undefined
  #reachable = false

  private constructor(address: string, arrived: (bytes: Uint8Array) => boolean) {
    this.#address = address
    this.#arrived = arrived
  }

  /** `arrived`: false for what does not belong here. Throws PortTaken. */
  static async open(udp: Udp, address: string, port: number, arrived: (bytes: Uint8Array) => boolean): Promise<FaxSocket> {
    const socket = new FaxSocket(address, arrived)
    socket.#socket = await udp.open(address, port, socket.#receive)
    return socket
  }

  turnTo(line: FaxRemote): void {
    const { remote, alsoFrom } = line
    if (this.#line && isSame(this.#line.remote, remote) && this.#line.alsoFrom.join() === alsoFrom.join()) return
    this.#line = line
    this.#reachable = remote.port !== 0 && !/^[0:.]*$/.test(remote.address) && (!isIPv6(remote.address) || this.#address.includes(':'))
    this.#target = undefined
    this.#lock = new SourceLock(remote, alsoFrom)
    if (this.#reachable) this.#socket?.aim(remote)
  }

  send(bytes: Uint8Array): void {
    if (this.#reachable) this.#socket?.send(bytes, bytes.length)
  }

  close(): void {
    this.#socket?.close()
  }

  readonly #receive: Receive = (bytes, length, from, nowMs) => {
    const lock = this.#lock
    if (!from || !lock?.admits(from, nowMs) || !this.#arrived(bytes.subarray(0, length))) return
    lock.confirm(from, nowMs)
    this.#answerTo(from)
  }

  /** At once: over UDPTL the far end may wait for us after a single packet, and there may never be enough of them for the lock. */
  #answerTo(sender: SocketAddress): void {
    if (this.#target && isSame(this.#target, sender)) return
    this.#target = sender
    this.#reachable = true
    this.#socket?.aim(sender)
  }
}
