/**
 * Every member hears all the others, but not itself. Used anew for every frame: `begin`, `add` for each speaker, then `heardBy` for each listener.
 * While a listener has only one other to hear, that frame itself is handed on: nothing is computed for a call of two.
 */
export class Mixer {
  readonly #sum: Int32Array
  readonly #silence: Int16Array
  readonly #frames: Int16Array[] = []
  #count = 0
  #summed = false

  constructor(frameSamples: number) {
    this.#sum = new Int32Array(frameSamples)
    this.#silence = new Int16Array(frameSamples)
  }

  begin(): void {
    this.#count = 0
    this.#summed = false
  }

  /** The frame is read until the next `begin`. Returns the speaker's place. */
  add(frame: Int16Array): number {
    this.#frames[this.#count] = frame
    return this.#count++
  }

  /** What the speaker of this place hears (-1: a listener that does not speak): `into`, or a frame that must not be changed. */
  heardBy(place: number, into: Int16Array): Int16Array {
    const others = place < 0 ? this.#count : this.#count - 1
    if (others <= 0) return this.#silence
    if (others === 1) return this.#frames[place === 0 ? 1 : 0]!
    if (!this.#summed) this.#addUp()
    const sum = this.#sum
    const own = place < 0 ? this.#silence : this.#frames[place]!
    for (let i = 0; i < into.length; i++) {
      const sample = sum[i]! - own[i]!
      into[i] = sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample
    }
    return into
  }

  #addUp(): void {
    const sum = this.#sum
    sum.fill(0)
    for (let speaker = 0; speaker < this.#count; speaker++) {
      const frame = this.#frames[speaker]!
      for (let i = 0; i < sum.length; i++) sum[i]! += frame[i]!
    }
    this.#summed = true
  }
}
