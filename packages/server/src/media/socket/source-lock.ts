import { BlockList, isIPv6 } from 'node:net'
import { canonicalAddress, type SocketAddress } from './socket.ts'

/** Valid packets from one sender until it is the only one accepted. */
const packetsToLock = 5
/** Silence of the locked sender before another may replace it: routers drop port mappings, and phones change networks. */
const quietAfterMs = 1_500

/**
 * Decides which source is accepted. A stream that learns its sender from packets alone can be made to hear (and to talk to) an attacker, so
 * only certain addresses may be learnt: the one in the SDP, and `alsoFrom`, such as the address of the signalling. Their port may be any
 * (routers translate it); the first sender is the only one until it falls silent. No other source is ever heard.
 */
export class SourceLock {
  readonly #signalled: SocketAddress
  readonly #addresses: ReadonlySet<string>
  readonly #networks: BlockList | undefined
  #candidate: SocketAddress | undefined
  #seen = 0
  #locked: SocketAddress | undefined
  #heardMs = -Infinity

  /** `alsoFrom`: addresses, and networks such as 192.0.2.0/24. */
  constructor(signalled: SocketAddress, alsoFrom: readonly string[]) {
    this.#signalled = { address: canonicalAddress(signalled.address), port: signalled.port }
    const networks = alsoFrom.filter((one) => one.includes('/'))
    const addresses = alsoFrom.filter((one) => !one.includes('/')).map(canonicalAddress)
    this.#addresses = new Set([this.#signalled.address, ...addresses])
    this.#networks = networks.length > 0 ? listOf(networks) : undefined
  }

  /** The locked sender, if any. */
  get locked(): SocketAddress | undefined {
    return this.#locked
  }

  /** Time of the locked sender's last packet. */
  get heardMs(): number {
    return this.#heardMs
  }

  /** A packet of the locked sender arrived. */
  heard(nowMs: number): void {
    this.#heardMs = nowMs
    this.#candidate = undefined
  }

  /** Another sender may be learnt. */
  isQuiet(nowMs: number): boolean {
    return this.#locked === undefined || nowMs - this.#heardMs > quietAfterMs
  }

  permits(address: string): boolean {
    return this.#addresses.has(address) || (this.#networks?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ?? false)
  }

  /** Checked before the packet is parsed. `from` is missing when the kernel has already checked it. */
  admits(from: SocketAddress | undefined, nowMs: number): boolean {
    if (from === undefined || (this.#locked && isSame(from, this.#locked))) return true
    return this.isQuiet(nowMs) && this.permits(from.address)
  }

  /** Reports come from the same address at another port. */
  admitsReports(address: string, nowMs: number): boolean {
    return this.isQuiet(nowMs) ? this.permits(address) : address === this.#locked?.address
  }

  /** An admitted packet, or one with the right key, is valid. */
  confirm(from: SocketAddress | undefined, nowMs: number): void {
    if (from === undefined || (this.#locked && isSame(from, this.#locked))) this.heard(nowMs)
    else if (isSame(from, this.#signalled)) this.#lock(from, nowMs)
    else this.#learn(from, nowMs)
  }

  #learn(from: SocketAddress, nowMs: number): void {
    if (!this.#candidate || !isSame(this.#candidate, from)) {
      this.#candidate = from
      this.#seen = 0
    }
    this.#seen++
    if (this.#seen >= packetsToLock) this.#lock(from, nowMs)
  }

  #lock(to: SocketAddress, nowMs: number): void {
    this.#locked = to
    this.#heardMs = nowMs
    this.#candidate = undefined
  }
}

export const isSame = (a: SocketAddress, b: SocketAddress): boolean => a.port === b.port && a.address === b.address

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}
