const minDelayMs = 20
const maxDelayMs = 200
/** Initial delay, before the network is measured. */
const firstDelayMs = 40
const binMs = 5
const bins = maxDelayMs / binMs + 1
/** Five seconds of 20 ms packets. A power of two. */
const remembered = 256
/** Number of remembered packets that may be late. */
const tolerated = 4

/**
 * Delay at which nearly all packets arrive in time. Lateness is relative to the fastest packet of the last seconds, so the clocks of both
 * sides need not agree.
 */
export class PlayoutDelay {
  targetMs = firstDelayMs
  /** Arrival minus media time of the fastest packets. */
  #fastest = 0
  #fastestNow = Infinity
  #fastestBefore = Infinity
  readonly #recent = new Uint8Array(remembered)
  readonly #counts = new Uint16Array(bins)
  #observed = 0

  /** Lateness of a packet relative to the fastest. */
  lateness(mediaMs: number, nowMs: number): number {
    return this.#observed === 0 ? 0 : nowMs - mediaMs - this.#fastest
  }

  observe(mediaMs: number, nowMs: number): void {
    const transit = nowMs - mediaMs
    if (this.#observed % (remembered / 2) === 0) {
      this.#fastestBefore = this.#fastestNow
      this.#fastestNow = transit
    } else if (transit < this.#fastestNow) this.#fastestNow = transit
    this.#fastest = Math.min(this.#fastestNow, this.#fastestBefore)
    this.#count(Math.min(bins - 1, Math.ceil((transit - this.#fastest) / binMs)))
    if (this.#observed % 8 === 0) this.#settle()
  }

  reset(): void {
    this.#observed = 0
    this.#fastestNow = Infinity
    this.#fastestBefore = Infinity
    this.#counts.fill(0)
    this.targetMs = firstDelayMs
  }

  #count(bin: number): void {
    const at = this.#observed & (remembered - 1)
    if (this.#observed >= remembered) this.#counts[this.#recent[at]!]!--
    this.#recent[at] = bin
    this.#counts[bin]!++
    this.#observed++
  }

  #settle(): void {
    let late = 0
    let bin = bins - 1
    for (; bin > 0; bin--) {
      late += this.#counts[bin]!
      if (late > tolerated) break
    }
    const wanted = Math.max(minDelayMs, Math.min(maxDelayMs, bin * binMs))
    if (this.#observed >= remembered / 8 || wanted > this.targetMs) this.targetMs = wanted
  }
}
