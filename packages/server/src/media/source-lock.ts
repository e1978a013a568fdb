import { canonicalAddress } from './socket-address.ts'
import type { SocketAddress } from './socket.ts'

/** Valid packets from one sender until nobody else is listened to. */
const packetsToLock = 5

/**
 * Who is listened to. Everybody who learns the sender from packets can be made to listen to (and to talk to) a stranger, so the address in the
 * SDP rules: `signalled` takes packets only from there, from any port at first (phones behind a port-translating router) and then from one.
 * `behind-nat` has to believe the first sender, because the SDP holds a private address; the signalled one still goes first.
 */
export class SourceLock {
  readonly #signalled: SocketAddress
  readonly #anyAddress: boolean
  #candidate: SocketAddress | undefined
  #candidateSsrc = 0
  #seen = 0
  #locked: SocketAddress | undefined
  #lockedSsrc: number | undefined

  constructor(signalled: SocketAddress, source: 'signalled' | 'behind-nat') {
    this.#signalled = { address: canonicalAddress(signalled.address), port: signalled.port }
    this.#anyAddress = source === 'behind-nat'
  }

  /** The one sender, once it is certain. */
  get locked(): SocketAddress | undefined {
    return this.#locked
  }

  /** Before anything of the packet is looked at. `from` is missing when the kernel has checked it already. */
  admits(from: SocketAddress | undefined): boolean {
    if (from === undefined) return true
    if (this.#locked) return isSame(from, this.#locked)
    if (from.address === this.#signalled.address) return true
    return this.#anyAddress && (this.#candidate === undefined || isSame(from, this.#candidate))
  }

  /** A packet that was admitted is what it should be (of the right kind, and genuine if the line is encrypted). False: another source speaks from there. */
  confirm(from: SocketAddress | undefined, ssrc: number): boolean {
    if (this.#locked) return this.#lockedSsrc === undefined || this.#lockedSsrc === ssrc
    if (from === undefined) return true
    if (isSame(from, this.#signalled)) this.#lock(from, ssrc)
    else this.#learn(from, ssrc)
    return true
  }

  #learn(from: SocketAddress, ssrc: number): void {
    if (!this.#candidate || !isSame(this.#candidate, from) || this.#candidateSsrc !== ssrc) {
      this.#candidate = from
      this.#candidateSsrc = ssrc
      this.#seen = 0
    }
    this.#seen++
    if (this.#seen >= packetsToLock) this.#lock(from, ssrc)
  }

  #lock(to: SocketAddress, ssrc: number): void {
    this.#locked = to
    // A sender at a known address may begin a new source (a transfer inside a PBX); one that was only believed may not.
    if (this.#anyAddress) this.#lockedSsrc = ssrc
  }
}

const isSame = (a: SocketAddress, b: SocketAddress): boolean => a.port === b.port && a.address === b.address
