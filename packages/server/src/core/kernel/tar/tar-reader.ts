import { BadArchive, blockBytes, decodeHeader, decodePax, type TarHeader } from './tar-header.ts'

export interface TarEntry {
  name: string
  bytes: number
  /** Read it to its end before requesting the next entry, or not at all: then it is skipped. */
  content: AsyncGenerator<Uint8Array, void, undefined>
}

/** More than any name of ours needs. */
const maxPaxBytes = 64 * 1024

const kinds: Record<string, string> = {
  '1': 'a link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '5': 'a folder',
  '6': 'a pipe',
}

/**
 * Files of an archive that we wrote, one after the other. Names are relative and stay inside; links, folders and devices are rejected.
 * `max`: maximum of bytes in total, so that an impossible length is detected before any byte is written.
 */
export const tarEntries = (source: AsyncIterable<Uint8Array>, max = Infinity): AsyncGenerator<TarEntry, void, undefined> =>
  entriesOf(source, ({ name, bytes, type }, taken) => {
    if (type !== '0') throw new BadArchive(`has ${kinds[type] ?? 'something unknown'} in it (${shown(name)}), and a backup has only files`)
    if (!isPlainPath(name)) throw new BadArchive(`has a file whose name leads elsewhere: ${shown(name)}`)
    if (bytes > max - taken) throw new BadArchive(`is cut off, or damaged: ${name} should have ${bytes} bytes, and so many do not follow`)
    return true
  })

/** Files of any archive; skips links, folders and devices. A name may lead anywhere. */
export const foreignTarEntries = (source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void, undefined> =>
  entriesOf(source, ({ type }) => type === '0')

/** `accepts`: gets the bytes read so far; returns false to skip the entry, throws to reject the archive. */
async function* entriesOf(
  source: AsyncIterable<Uint8Array>,
  accepts: (header: TarHeader, taken: number) => boolean,
): AsyncGenerator<TarEntry, void, undefined> {
  const input = new Blocks(source)
  try {
    for (;;) {
      const header = await nextHeader(input)
      if (!header) return
      const { name, bytes } = header
      const content = input.take(bytes, name)
      if (accepts(header, input.taken)) yield { name, bytes, content }
      for await (const _ of content);
      await input.skip((blockBytes - (bytes % blockBytes)) % blockBytes)
    }
  } finally {
    await input.close()
  }
}

/** Undefined at the end. */
const nextHeader = async (input: Blocks): Promise<TarHeader | undefined> => {
  const block = await input.block()
  if (block.every((byte) => byte === 0)) return undefined
  const header = decodeHeader(block)
  if (header.type !== 'x') return header
  if (header.bytes > maxPaxBytes) throw new BadArchive('is damaged: it has an impossible length')
  const pieces: Uint8Array[] = []
  for await (const piece of input.take(header.bytes, 'the name of a file')) pieces.push(Buffer.from(piece))
  await input.skip((blockBytes - (header.bytes % blockBytes)) % blockBytes)
  const next = decodeHeader(await input.block())
  if (next.type === 'x') throw new BadArchive('is damaged: a record about a file follows another one')
  return { ...next, ...decodePax(Buffer.concat(pieces)) }
}

/** Relative, in plain letters, without parent or empty steps: only names that we write. */
export const isPlainPath = (name: string): boolean =>
  name.length <= 1_000 && name.split('/').every((part) => /^[\w-][\w.@-]{0,199}$/.test(part) && !part.endsWith('.part'))

const shown = (name: string): string => JSON.stringify(name.slice(0, 200))

/** Splits a stream into blocks and chunks of a given length. */
class Blocks {
  taken = 0
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async block(): Promise<Buffer> {
    const block = Buffer.alloc(blockBytes)
    let filled = 0
    for await (const piece of this.take(blockBytes, 'the next file')) {
      block.set(piece, filled)
      filled += piece.length
    }
    return block
  }

  async *take(bytes: number, what: string): AsyncGenerator<Uint8Array, void, undefined> {
    for (let missing = bytes; missing > 0;) {
      if (this.#rest.length === 0) this.#rest = await this.#next(what)
      const piece = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(piece.length)
      missing -= piece.length
      this.taken += piece.length
      yield piece
    }
  }

  async skip(bytes: number): Promise<void> {
    for await (const _ of this.take(bytes, 'the next file'));
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #next(what: string): Promise<Uint8Array> {
    const { done, value } = await this.#source.next()
    if (done === true) throw new BadArchive(`is cut off: it ends in ${what}`)
    return value.length === 0 ? this.#next(what) : value
  }
}
