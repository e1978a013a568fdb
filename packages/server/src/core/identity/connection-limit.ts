import { addressBlock } from './address-block.ts'

/** What a socket is to us here. */
export interface HeldConnection {
  readonly remoteAddress?: string | undefined
  once(event: 'close', heard: () => void): unknown
  destroy(): unknown
}

export interface ConnectionLimitOptions {
  /** For one address. */
  most: (address: string) => number
  inAll: number
}

/** How many connections others may hold here, counted from their very first packet: also those that never finish their handshake. */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions
  readonly #held = new Map<string, number>()
  readonly #sockets = new Set<HeldConnection>()

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
  }

  /** Counts the socket until it closes, or destroys it. */
  admit(socket: HeldConnection, address: string = socket.remoteAddress ?? ''): boolean {
    const block = addressBlock(address)
    const held = this.#held.get(block) ?? 0
    const { most, inAll } = this.#options
    if (address === '' || this.#sockets.size >= inAll || held >= most(address)) {
      socket.destroy()
      return false
    }
    this.#sockets.add(socket)
    this.#held.set(block, held + 1)
    socket.once('close', () => this.#release(socket, block))
    return true
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #release(socket: HeldConnection, block: string): void {
    this.#sockets.delete(socket)
    const left = (this.#held.get(block) ?? 1) - 1
    if (left === 0) this.#held.delete(block)
    else this.#held.set(block, left)
  }
}
