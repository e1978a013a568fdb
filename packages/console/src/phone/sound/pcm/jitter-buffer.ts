const defaultDelayMs = 60

const maxDelayMs = 160

const stepMs = 20

/** Maximum buffered milliseconds: clock drift between both sides, or a burst after a break. */
const maxMs = 300

/** Milliseconds; a longer pause is silence, not delay. */
const pauseMs = 250

/** Smooths irregular arrival: starts playing with a small buffer, and grows it after a late frame. */
export class JitterBuffer {
  readonly #perMs: number
  readonly #ring: Float32Array
  #start = 0
  #filled = 0
  #playing = false
  #delayMs = defaultDelayMs
  #silentFor = Number.POSITIVE_INFINITY

  constructor(rate: number) {
    this.#perMs = rate / 1000
    this.#ring = new Float32Array(Math.ceil(maxMs * this.#perMs) * 2)
  }

  push(samples: Float32Array): void {
    if (!this.#playing && this.#silentFor < pauseMs * this.#perMs) this.#wasLate()
    const room = this.#ring.length - this.#filled
    if (samples.length > room) this.#drop(samples.length - room)
    for (const sample of samples) this.#ring[(this.#start + this.#filled++) % this.#ring.length] = sample
    if (this.#filled > maxMs * this.#perMs) this.#drop(this.#filled - Math.round(this.#delayMs * this.#perMs))
  }

  /** Fills the output with the next samples, or with silence. */
  pull(output: Float32Array): void {
    if (this.#filled >= this.#delayMs * this.#perMs) this.#playing = true
    const count = this.#playing ? Math.min(output.length, this.#filled) : 0
    for (let index = 0; index < count; index++) output[index] = this.#ring[(this.#start + index) % this.#ring.length] ?? 0
    output.fill(0, count)
    this.#drop(count)
    if (count === output.length) this.#silentFor = 0
    else {
      this.#playing = false
      this.#silentFor += output.length - count
    }
  }

  #wasLate(): void {
    this.#delayMs = Math.min(this.#delayMs + stepMs, maxDelayMs)
    this.#silentFor = Number.POSITIVE_INFINITY
  }

  #drop(count: number): void {
    this.#start = (this.#start + count) % this.#ring.length
    this.#filled -= count
  }
}
