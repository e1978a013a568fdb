import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pacedFile, type PacedFile } from './paced-file.ts'
import { TarWriter, type NewEntry, type Pieces, type Sink } from '#core/kernel/tar/tar-writer.ts'

/** In the format of `sha256sum -c`. */
export const sumLine = (sum: string, name: string): string => `${sum}  ${name}\n`

/** An archive that lists the SHA-256 of each of its files. The list grows on disk and not in memory. */
export class SummedArchive {
  files = 0
  bytes = 0
  readonly #tar: TarWriter
  readonly #listPath: string
  readonly #list: PacedFile
  readonly #sumOfList = createHash('sha256')
  #listBytes = 0

  private constructor(sink: Sink, listPath: string, list: PacedFile) {
    this.#tar = new TarWriter(sink)
    this.#listPath = listPath
    this.#list = list
  }

  /** `listPath`: file in which the list grows. */
  static async to(sink: Sink, listPath: string): Promise<SummedArchive> {
    return new SummedArchive(sink, listPath, await pacedFile(listPath))
  }

  /** False: it became shorter before it was read; the rest is padded with zeros. */
  async add(entry: NewEntry, content: Pieces): Promise<boolean> {
    const { sum, whole } = await this.#tar.add(entry, content)
    const line = Buffer.from(sumLine(sum, entry.name))
    this.#sumOfList.update(line)
    this.#listBytes += line.length
    await this.#list.write(line)
    this.files++
    this.bytes += entry.bytes
    return whole
  }

  addBytes(name: string, content: Uint8Array, changedAt: number): Promise<boolean> {
    return this.add({ name, bytes: content.length, changedAt }, [content])
  }

  /** Adds the list under this name; later files are not in it. Returns the sum of the list itself. */
  async addList(name: string, changedAt: number): Promise<string> {
    await this.#list.close()
    await this.#tar.add({ name, bytes: this.#listBytes, changedAt }, createReadStream(this.#listPath) as AsyncIterable<Uint8Array>)
    return this.#sumOfList.digest('hex')
  }

  /** Adds a last file with content only known now. */
  async end(name: string, content: Uint8Array, changedAt: number): Promise<void> {
    await this.#tar.add({ name, bytes: content.length, changedAt }, [content])
    await this.#tar.end()
  }

  /** Without its end the archive is useless. */
  abandon(): Promise<void> {
    return this.#list.abandon()
  }
}
