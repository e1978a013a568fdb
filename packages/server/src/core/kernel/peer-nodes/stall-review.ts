import type { Clock, PeerNodes } from '../ports/platform.ts'
import { stallMs } from './heartbeat.ts'

interface StallReviewDeps {
  peerNodes: Pick<PeerNodes, 'late' | 'onStall'>
  /** The heartbeat's clock. */
  clock: Pick<Clock, 'elapsed'>
  /** Drops calls that other nodes took over during the stall. */
  review: () => Promise<void>
}

/**
 * After a stall, sends nothing to phones until it is known which calls this node still owns. One review per stall: `late` stays true
 * until the heartbeat's timer runs, and a review without calls resolves in microtasks, so repeated reviews could block that timer
 * forever.
 */
export class StallReview {
  readonly #deps: StallReviewDeps
  #pending: Promise<void> | undefined
  #startedAt = -Infinity

  constructor(deps: StallReviewDeps) {
    this.#deps = deps
  }

  /** Starts a review on each stall; returns the function that stops watching. */
  watch(): () => void {
    return this.#deps.peerNodes.onStall(() => this.#startOnce())
  }

  /** Settles when the review is done. Also starts it for a stall that the heartbeat has not noticed yet. */
  get pending(): Promise<void> | undefined {
    if (!this.#pending && this.#deps.peerNodes.late()) this.#startOnce()
    return this.#pending
  }

  #startOnce(): void {
    const now = this.#deps.clock.elapsed()
    if (this.#pending || now - this.#startedAt <= stallMs) return
    this.#startedAt = now
    this.#pending = this.#deps.review().finally(() => (this.#pending = undefined))
  }
}
