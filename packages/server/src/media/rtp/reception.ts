/** A larger step is a restart, not a loss. */
const maxStep = 3000

/** Counts what arrives of one source, as RFC 3550 A.1, A.3 and A.8 say; a change of the source starts anew. */
export class Reception {
  packets = 0
  ssrc = 0
  /** Interarrival jitter in ticks of the RTP clock. */
  jitter = 0
  readonly #ticksPerMs: number
  #first = 0
  #highest = 0
  #transit = 0
  #begun = false
  /** Of earlier sources. */
  #lostBefore = 0
  #expectedAtReport = 0
  #receivedAtReport = 0
  #received = 0
  /** Of the jitter at every packet. */
  #jitterSum = 0

  constructor(clockRate: number) {
    this.#ticksPerMs = clockRate / 1000
  }

  get jitterMs(): number {
    return this.jitter / this.#ticksPerMs
  }

  /** The mean of all packets, of all sources. */
  get meanJitterMs(): number {
    return this.packets === 0 ? 0 : this.#jitterSum / this.packets / this.#ticksPerMs
  }

  /** With the number of times that the sequence ran over in the upper 16 bits. */
  get highestSequence(): number {
    return this.#highest
  }

  /** Of the present source; below zero when packets came twice. */
  get lost(): number {
    return this.#begun ? this.#expected - this.#received : 0
  }

  /** Of all sources together. */
  get lostAltogether(): number {
    return this.#lostBefore + Math.max(0, this.lost)
  }

  receive(sequence: number, timestamp: number, ssrc: number, nowMs: number): void {
    this.packets++
    if (!this.#begun || ssrc !== this.ssrc) this.#start(sequence, ssrc)
    const step = ((sequence - this.#highest) << 16) >> 16
    if (step > maxStep || step < -maxStep) this.#start(sequence, ssrc)
    else if (step > 0) this.#highest += step
    this.#received++
    this.#measure(timestamp, nowMs)
  }

  /** The share of packets lost since it was last asked, in 256ths. */
  takeFractionLost(): number {
    const expected = this.#expected - this.#expectedAtReport
    const lost = expected - (this.#received - this.#receivedAtReport)
    this.#expectedAtReport = this.#expected
    this.#receivedAtReport = this.#received
    return expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / expected))
  }

  get #expected(): number {
    return this.#begun ? this.#highest - this.#first + 1 : 0
  }

  #start(sequence: number, ssrc: number): void {
    this.#lostBefore += Math.max(0, this.lost)
    this.#begun = true
    this.ssrc = ssrc
    this.#first = this.#highest = sequence
    this.#received = this.#expectedAtReport = this.#receivedAtReport = 0
    this.#transit = NaN
    this.jitter = 0
  }

  #measure(timestamp: number, nowMs: number): void {
    const transit = nowMs * this.#ticksPerMs - timestamp
    const difference = Math.abs(Math.round(transit - this.#transit) | 0)
    if (!Number.isNaN(this.#transit)) this.jitter += (difference - this.jitter) / 16
    this.#jitterSum += this.jitter
    this.#transit = transit
  }
}
