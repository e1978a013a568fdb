/** A regular file in an archive. Its `body` has to be read, or left alone, before the next entry is asked for. */
export interface TarEntry {
  name: string
  size: number
  body: AsyncIterable<Uint8Array>
}

const blockBytes = 512

/** Reads a tar archive (ustar, as npm makes them) piece by piece. Directories, links and everything else that is no file are left out. */
export async function* tarEntries(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new ByteQueue(archive)
  for (;;) {
    const header = await bytes.take(blockBytes)
    if (header.length < blockBytes || header[0] === 0) return
    const size = readNumber(header, 124, 12)
    const padded = Math.ceil(size / blockBytes) * blockBytes
    const unread = { bytes: size }
    const kind = header[156]
    if (kind === 0 || kind === regularFile) yield { name: readName(header), size, body: bytes.pieces(unread) }
    await bytes.skip(unread.bytes + padded - size)
  }
}

const regularFile = 0x30

const readText = (header: Uint8Array, at: number, length: number): string => {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
}

const readName = (header: Uint8Array): string => {
  const prefix = readText(header, 345, 155)
  const name = readText(header, 0, 100)
  return prefix === '' ? name : `${prefix}/${name}`
}

const readNumber = (header: Uint8Array, at: number, length: number): number => {
  const text = readText(header, at, length).trim()
  if (!/^[0-7]{1,11}$/.test(text)) throw new Error('this is not a tar archive')
  return Number.parseInt(text, 8)
}

/** Bytes that come in pieces of any size and are wanted in others. */
class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** This many bytes, or fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const taken: Uint8Array[] = []
    for await (const piece of this.pieces({ bytes: count }, true)) taken.push(piece)
    return Buffer.concat(taken)
  }

  async skip(count: number): Promise<void> {
    const unread = { bytes: count }
    for await (const _ of this.pieces(unread));
  }

  /** Counts down `unread`. An end before that is an error, unless it is allowed. */
  async *pieces(unread: { bytes: number }, endAllowed = false): AsyncGenerator<Uint8Array> {
    while (unread.bytes > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next()
        if (next.done) {
          if (endAllowed) return
          throw new Error('the archive is cut off')
        }
        this.#rest = next.value
      }
      const piece = this.#rest.subarray(0, unread.bytes)
      this.#rest = this.#rest.subarray(piece.length)
      unread.bytes -= piece.length
      yield piece
    }
  }
}
