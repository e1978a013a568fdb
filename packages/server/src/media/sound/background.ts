import type { PcmRate } from '../engine.ts'
import { ConvertedSource, MemorySource, type SoundSource } from './sound-source.ts'

/** A sound again and again, softly under another one. */
export class Background {
  readonly #original: MemorySource
  readonly #gain: number
  #source: SoundSource
  #frame = new Int16Array()

  /** `volume`: 0 to 1. */
  constructor(samples: Int16Array, rate: PcmRate, volume: number) {
    this.#original = new MemorySource(samples, rate, true)
    this.#source = this.#original
    this.#gain = Math.min(1, Math.max(0, volume))
  }

  /** `into` is `frame` with the next piece of this under it; both may be the same. `rate`: of both. */
  under(frame: Int16Array, into: Int16Array, rate: number): void {
    const own = this.#next(frame.length, rate)
    const gain = this.#gain
    for (let i = 0; i < own.length; i++) {
      const sum = frame[i]! + Math.round(own[i]! * gain)
      into[i] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum
    }
  }

  #next(samples: number, rate: number): Int16Array {
    if (this.#source.rate !== rate) this.#source = rate === this.#original.rate ? this.#original : new ConvertedSource(this.#original, rate)
    if (this.#frame.length !== samples) this.#frame = new Int16Array(samples)
    let filled = 0
    while (filled < samples) {
      const count = this.#source.read(this.#frame, filled)
      if (count === 0) break
      filled += count
    }
    this.#frame.fill(0, filled)
    return this.#frame
  }
}
