import { createHash } from 'node:crypto'
import { blockBytes, encodeHeader, padding } from './tar-header.ts'

/** Where an archive goes; resolves when more can be taken. */
export type Sink = (piece: Uint8Array) => Promise<void>

export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export interface NewEntry {
  name: string
  /** Exactly so many bytes of it go into the archive: it says so before they come. */
  bytes: number
  changedAt: number
}

export interface Added {
  /** SHA-256 of what is in the archive. */
  sum: string
  /** False: less came than it had; zeros stand in the place of the rest. */
  whole: boolean
}

/** Writes an archive piece by piece: whatever is in it, little of it is in memory. */
export class TarWriter {
  readonly #sink: Sink

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** What comes beyond its length is left out. */
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
