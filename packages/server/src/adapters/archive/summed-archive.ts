import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pacedFile, type PacedFile } from './paced-file.ts'
import { TarWriter, type NewEntry, type Pieces, type Sink } from './tar-writer.ts'

/** As `sha256sum -c` reads it. */
export const sumLine = (sum: string, name: string): string => `${sum}  ${name}\n`

/** An archive that lists the SHA-256 of each of its files. The list grows on the disk and not in memory. */
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

  /** `listPath`: where the list can grow. */
  static async to(sink: Sink, listPath: string): Promise<SummedArchive> {
    return new SummedArchive(sink, listPath, await pacedFile(listPath))
  }

  /** False: it had become shorter when it was read; zeros stand in the place of the rest. */
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

  /** Adds the list under this name; nothing that follows stands in it. Gives the sum of the list itself. */
  async addList(name: string, changedAt: number): Promise<string> {
    await this.#list.close()
    await this.#tar.add({ name, bytes: this.#listBytes, changedAt }, createReadStream(this.#listPath) as AsyncIterable<Uint8Array>)
    return this.#sumOfList.digest('hex')
  }

  /** With what can only be said now. */
  async end(name: string, content: Uint8Array, changedAt: number): Promise<void> {
    await this.#tar.add({ name, bytes: content.length, changedAt }, [content])
    await this.#tar.end()
  }

  /** Without its end nothing can be done with it. */
  abandon(): Promise<void> {
    return this.#list.abandon()
  }
}
