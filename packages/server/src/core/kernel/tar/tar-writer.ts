import { createHash } from 'node:crypto'
import { blockBytes, encodeHeader, padding } from './tar-header.ts'

/** Output of an archive; resolves when it accepts more. */
export type Sink = (piece: Uint8Array) => Promise<void>

export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export interface NewEntry {
  name: string
  /** Exact number of bytes in the archive: written before the content. */
  bytes: number
  changedAt: number
}

interface Added {
  /** SHA-256 of the content in the archive. */
  sum: string
  /** False: less came than announced; the rest is padded with zeros. */
  whole: boolean
}

/** Writes an archive as a stream: keeps little of it in memory. */
export class TarWriter {
  readonly #sink: Sink

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** Cuts off content beyond its length. */
  async add({ name, bytes, changedAt }: NewEntry, content: Pieces): Promise<Added> {
    await this.#sink(encodeHeader(name, bytes, changedAt))
    const hash = createHash('sha256')
    const put = async (piece: Uint8Array): Promise<number> => {
      hash.update(piece)
      await this.#sink(piece)
      return piece.length
    }
    let missing = bytes
    for await (const piece of content) {
      missing -= await put(piece.subarray(0, missing))
      if (missing === 0) break
    }
    const whole = missing === 0
    while (missing > 0) missing -= await put(zeros.subarray(0, missing))
    await this.#sink(padding(bytes))
    return { sum: hash.digest('hex'), whole }
  }

  /** Two empty blocks. */
  async end(): Promise<void> {
    await this.#sink(zeros.subarray(0, 2 * blockBytes))
  }
}

const zeros = new Uint8Array(64 * 1024)
