import { addressBlock } from './address-block.ts'

/** The parts of a socket that the limit uses. */
interface HeldConnection {
  readonly remoteAddress?: string | undefined
  once(event: 'close', heard: () => void): unknown
  destroy(): unknown
}

interface ConnectionLimitOptions<C extends HeldConnection> {
  /** Maximum connections per address. */
  most: (address: string) => number
  inAll: number
  /** Time since which the connection waits for its client; smaller is longer. Waiting connections are evicted for new ones. Without it none is evicted. */
  waitingSince?: (socket: C) => number | undefined
  /** Gets a new connection when there is no room; destroyed by default. */
  onFull?: (socket: C) => void
}

/** Limits open connections, counted from the first packet: unfinished handshakes included. */
export class ConnectionLimit<C extends HeldConnection = HeldConnection> {
  readonly #options: ConnectionLimitOptions<C>
  readonly #held = new Map<string, number>()
  readonly #blockOf = new Map<C, string>()

  constructor(options: ConnectionLimitOptions<C>) {
    this.#options = options
  }

  /** Counts the socket until it closes. False: there was no room, and it was passed to `onFull`. */
  admit(socket: C, address: string = socket.remoteAddress ?? ''): boolean {
    const block = addressBlock(address)
    const { onFull = (full: C) => full.destroy() } = this.#options
    if (address === '' || !this.#hasCapacity(address, block)) {
      if (address === '') socket.destroy()
      else onFull(socket)
      return false
    }
    this.#blockOf.set(socket, block)
    this.#held.set(block, this.#heldBy(block) + 1)
    socket.once('close', () => this.#release(socket))
    return true
  }

  destroyAll(): void {
    for (const socket of this.#blockOf.keys()) socket.destroy()
  }

  #hasCapacity(address: string, block: string): boolean {
    const { most, inAll } = this.#options
    if (this.#heldBy(block) >= most(address)) return this.#evict((other) => other === block)
    return this.#blockOf.size < inAll || this.#evict(() => true)
  }

  /** Evicts the longest-waiting connection of the address that holds the most, so heavy users lose first. */
  #evict(among: (block: string) => boolean): boolean {
    const { waitingSince = () => undefined } = this.#options
    let found: { socket: C; held: number; since: number } | undefined
    for (const [socket, block] of this.#blockOf) {
      const since = among(block) ? waitingSince(socket) : undefined
      if (since === undefined) continue
      const held = this.#heldBy(block)
      if (!found || held > found.held || (held === found.held && since < found.since)) found = { socket, held, since }
    }
    if (!found) return false
    this.#release(found.socket)
    found.socket.destroy()
    return true
  }

  #heldBy(block: string): number {
    return this.#held.get(block) ?? 0
  }

  #release(socket: C): void {
    const block = this.#blockOf.get(socket)
    if (block === undefined) return
    this.#blockOf.delete(socket)
    const left = this.#heldBy(block) - 1
    if (left === 0) this.#held.delete(block)
    else this.#held.set(block, left)
  }
}
