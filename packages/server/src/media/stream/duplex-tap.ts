import { framesPerSecond } from '../codec/codec.ts'
import { Converter } from '../codec/converter.ts'
import { SampleRing } from '../thread/sample-ring.ts'

export const duplexRate = 8000
/** Of each side. */
export const duplexBlockSamples = duplexRate / framesPerSecond

/** Both sides of a stream for a reader in another thread: every 20 ms a block of what is heard, then of what is sent at the same moment. */
export class DuplexTap {
  readonly #ring: SampleRing
  readonly #hears = new Converter(duplexRate)
  readonly #sends = new Converter(duplexRate)
  readonly #block = new Int16Array(2 * duplexBlockSamples)

  constructor(buffer: SharedArrayBuffer) {
    this.#ring = new SampleRing(buffer)
  }

  heard(pcm: Int16Array): void {
    this.#block.set(this.#hears.convert(pcm))
  }

  /** After `heard` of the same 20 ms. A block for which there is no room is left out as a whole, so that the sides stay together. */
  sent(pcm: Int16Array): void {
    this.#block.set(this.#sends.convert(pcm), duplexBlockSamples)
    if (this.#ring.room >= this.#block.length) this.#ring.write(this.#block)
  }
}
