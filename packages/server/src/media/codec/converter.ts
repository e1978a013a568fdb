import { framesPerSecond } from './codec.ts'
import { Resampler } from './resample.ts'

/** Brings frames of a stream to one rate. The frame that comes out is only lent: the next one is written over it. */
export class Converter {
  readonly to: number
  #resampler: Resampler | undefined
  readonly #converted: Int16Array

  constructor(to: number) {
    this.to = to
    this.#converted = new Int16Array(to / framesPerSecond)
  }

  convert(frame: Int16Array): Int16Array {
    if (frame.length === this.#converted.length) return frame
    const from = frame.length * framesPerSecond
    if (this.#resampler?.from !== from) this.#resampler = new Resampler(from, this.to)
    this.#resampler.process(frame, this.#converted)
    return this.#converted
  }
}
