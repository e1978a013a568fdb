import type { FileHandle } from 'node:fs/promises'
import { deflate } from 'node:zlib'
import { promisify } from 'node:util'
import { across, down, type MonoPage } from './mono-page.ts'

const pack = promisify(deflate)

const short = 3
const long = 4
const rational = 5
const headerBytes = 8

/** Writes pages as they come, so that a long document is never in memory as a whole. Little-endian, one deflated strip per page. */
export class TiffWriter {
  readonly #file: FileHandle
  #end = headerBytes
  /** Position of the pointer to the next page. */
  #link = 4
  #pages = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async begin(file: FileHandle): Promise<TiffWriter> {
    await writeAll(file, Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0), 0)
    return new TiffWriter(file)
  }

  get bytes(): number {
    return this.#end
  }

  get pages(): number {
    return this.#pages
  }

  async add({ width, height, bits }: MonoPage): Promise<void> {
    const strip = await pack(bits)
    const data = await this.#append(strip)
    const ratios = await this.#append(u32s(across, 1, down, 1))
    const directory = directoryOf([
      [254, long, 2], // one page of several
      [256, long, width],
      [257, long, height],
      [258, short, 1], // bits per pixel
      [259, short, 8], // deflate
      [262, short, 0], // 0 is white
      [266, short, 1], // the leftmost pixel in the highest bit
      [273, long, data],
      [277, short, 1],
      [278, long, height],
      [279, long, strip.length],
      [282, rational, ratios],
      [283, rational, ratios + 8],
      [296, short, 2], // inches
      [297, short, this.#pages++, 2], // the total is unknown yet
    ])
    const at = await this.#append(directory)
    await writeAll(this.#file, u32s(at), this.#link)
    this.#link = at + directory.length - 4
  }

  /** Returns its position; everything begins at an even position. */
  async #append(bytes: Uint8Array): Promise<number> {
    const at = this.#end
    await writeAll(this.#file, bytes, at)
    this.#end += bytes.length + (bytes.length % 2)
    return at
  }
}

/** A disk that becomes full first accepts a part, without an error. */
const writeAll = async (file: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

const u32s = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

/** Tag, type, value, and the count if it is more than one. */
type Field = [tag: number, type: number, value: number, count?: number]

const directoryOf = (fields: readonly Field[]): Buffer => {
  const bytes = Buffer.alloc(2 + fields.length * 12 + 4)
  bytes.writeUInt16LE(fields.length, 0)
  for (const [index, [tag, type, value, count = 1]] of fields.entries()) {
    const at = 2 + index * 12
    bytes.writeUInt16LE(tag, at)
    bytes.writeUInt16LE(type, at + 2)
    bytes.writeUInt32LE(count, at + 4)
    bytes.writeUInt32LE(value, at + 8)
  }
  return bytes
}
