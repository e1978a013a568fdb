import type { Flow, SipClock } from '../transport/transport.ts'

/** How long a peer that refused TCP is believed, in milliseconds. */
const believedFor = 600_000
const maxPeers = 1_000

/** Peers that refused TCP: large requests go to them over UDP all the same. */
export class TcpRefusals {
  readonly #clock: SipClock
  /** Until when, by address and port. */
  readonly #until = new Map<string, number>()

  constructor(clock: SipClock) {
    this.#clock = clock
  }

  has({ address, port }: Flow): boolean {
    const until = this.#until.get(`${address}:${port}`)
    return until !== undefined && until > this.#clock.now()
  }

  add({ address, port }: Flow): void {
    if (this.#until.size >= maxPeers) this.#until.clear()
    this.#until.set(`${address}:${port}`, this.#clock.now() + believedFor)
  }
}
