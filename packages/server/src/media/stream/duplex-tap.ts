import { framesPerSecond, Converter } from '../codec/codec.ts'
import { SampleRing } from '../thread/sample-ring.ts'

export const duplexRate = 8000
/** Samples of each side. */
export const duplexBlockSamples = duplexRate / framesPerSecond

/**
 * Both sides of a stream for a reader in another thread: every 20 ms a block of received sound, then one of the sound sent at the same
 * time.
 */
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

  /** Call after `heard` of the same 20 ms. A block without room is dropped as a whole, so that the sides stay aligned. */
  sent(pcm: Int16Array): void {
    this.#block.set(this.#sends.convert(pcm), duplexBlockSamples)
    if (this.#ring.room >= this.#block.length) this.#ring.write(this.#block)
  }
}
