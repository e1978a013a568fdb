/** 12 dB softer: a voice behind the caller's, still to be followed. */
const softly = 10 ** (-12 / 20)
const rampMs = 20

/** Makes sound softer and as loud as before again, over 20 ms, so that neither is heard as a click. Starts at full level. */
export class Ducking {
  #from = 1
  #to = 1
  /** Of the way between the two, 0 to 1. */
  #way = 1

  set ducked(value: boolean) {
    const to = value ? softly : 1
    if (to === this.#to) return
    this.#from = this.#gain
    this.#to = to
    this.#way = 0
  }

  /** It changes nothing. */
  get idle(): boolean {
    return this.#way >= 1 && this.#to === 1
  }

  /** The next samples; `rate`: how many of them are a second. */
  process(samples: Int16Array, rate: number): void {
    const step = 1000 / (rampMs * rate)
    for (let i = 0; i < samples.length; i++) {
      if (this.#way < 1) this.#way = Math.min(1, this.#way + step)
      samples[i] = Math.round(samples[i]! * this.#gain)
    }
  }

  /** Nothing sounds: the next sound begins at its level. */
  settle(): void {
    this.#way = 1
  }

  /** Half a cosine: it begins and ends without a corner, also where it turns round in the middle. */
  get #gain(): number {
    if (this.#way >= 1) return this.#to
    return this.#from + ((this.#to - this.#from) * (1 - Math.cos(Math.PI * this.#way))) / 2
  }
}
