import type { Media } from '#core/account/flows/flow-media.ts'
import type { EndpointPiece } from '#core/kernel/ports/assistant/endpoint.ts'
import { G711 } from '#media/codec/g711.ts'
import { PieceResampler, Resampler } from '#media/codec/resample.ts'

/** Of what the ear hears. */
const vadSampleRate = 8000
/** Calls are fed with no more. */
const maxFed = 16_000

/** Between the sound of a call and what its endpoint wants on the wire. One for each session: filters remember the sound before. */
export class SoundCoder {
  readonly #media: Media
  readonly #law: G711 | undefined
  readonly #up: Resampler | undefined
  readonly #down: PieceResampler | undefined

  constructor(media: Media) {
    const { format, rate } = media
    this.#media = media
    this.#law = format === 'pcm16' ? undefined : new G711(format === 'pcmu' ? 'PCMU' : 'PCMA')
    this.#up = rate === vadSampleRate ? undefined : new Resampler(vadSampleRate, rate)
    this.#down = rate > maxFed ? new PieceResampler(rate, maxFed) : undefined
  }

  /** What the caller says, for the endpoint. */
  encode(samples: Int16Array<ArrayBuffer>): Buffer {
    if (this.#law) {
      const bytes = Buffer.allocUnsafe(samples.length)
      this.#law.encode(samples, bytes, 0)
      return bytes
    }
    const out = this.#up ? new Int16Array((samples.length * this.#media.rate) / vadSampleRate) : samples
    this.#up?.process(samples, out)
    return Buffer.from(out.buffer, out.byteOffset, out.byteLength)
  }

  /** Undefined: the last sample is not whole. */
  decode(bytes: Buffer): EndpointPiece | undefined {
    if (this.#law) {
      const samples = new Int16Array(bytes.length)
      this.#law.decode(bytes, 0, bytes.length, samples, 0)
      return { samples, rate: 8000 }
    }
    if (bytes.length % 2 !== 0) return undefined
    const samples = new Int16Array(bytes.length / 2)
    bytes.copy(Buffer.from(samples.buffer)) // a message may begin at an odd address
    if (this.#down) return { samples: this.#down.add(samples), rate: maxFed }
    return { samples, rate: this.#media.rate === 8000 ? 8000 : 16_000 }
  }
}
