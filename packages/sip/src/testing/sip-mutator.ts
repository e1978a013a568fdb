/** Reproducible: the same seed gives the same mutations. */
export const xorshift = (seed: number): (() => number) => {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

/** Bytes that break parsers. */
const spice = Buffer.from('\r\n \t\0"\\<>;,:=@%/?[]()*+-.0159azAZ~\x7f\x80\xc3\xff', 'latin1')
const words = [
  '\r\n',
  '\r\n\r\n',
  '\r\n ',
  '""',
  '<>',
  '%00',
  '%',
  ';;',
  ',,',
  '::',
  'Via: ',
  'l: 9',
  'SIP/2.0',
  '-1',
  '4294967296',
  '=',
  '*',
].map((word) => Buffer.from(word))

/** Mutates texts in its own buffer: cheap enough for millions. Each result is valid until the next one. */
export class Mutator {
  readonly #samples: readonly Uint8Array[]
  readonly #random: () => number
  readonly #memory = Buffer.alloc(64 * 1024)

  constructor(samples: readonly string[], random: () => number) {
    this.#samples = samples.map((sample) => Buffer.from(sample))
    this.#random = random
  }

  next(): Buffer {
    const sample = this.#samples[this.#below(this.#samples.length)]!
    this.#memory.set(sample)
    let length = sample.length
    for (let changes = 1 + this.#below(4); changes > 0; changes--) length = this.#change(length)
    return this.#memory.subarray(0, length)
  }

  #below(limit: number): number {
    return limit === 0 ? 0 : this.#random() % limit
  }

  #change(length: number): number {
    const at = this.#below(length)
    const size = 1 + this.#below(Math.min(24, length - at))
    switch (this.#below(8)) {
      case 0:
        this.#memory[at] = this.#random() & 255
        return length
      case 1:
      case 2:
        this.#memory[at] = spice[this.#below(spice.length)]!
        return length
      case 3:
        return this.#remove(at, size, length)
      case 4:
        return this.#insert(at, words[this.#below(words.length)]!, length)
      case 5:
        return this.#insert(at, Buffer.from(this.#memory.subarray(at, at + size)), length)
      case 6:
        this.#memory.copyWithin(at, this.#below(length - size), this.#below(length))
        return length
      default:
        return this.#below(16) === 0 ? at : this.#remove(at, 1, length)
    }
  }

  #remove(at: number, size: number, length: number): number {
    this.#memory.copyWithin(at, at + size, length)
    return Math.max(0, length - size)
  }

  #insert(at: number, piece: Uint8Array, length: number): number {
    if (length + piece.length > this.#memory.length) return length
    this.#memory.copyWithin(at + piece.length, at, length)
    this.#memory.set(piece, at)
    return length + piece.length
  }
}
