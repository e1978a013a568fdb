import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

/** One bit per pixel, the leftmost is the highest; 1 is black. Rows start at a byte boundary. */
export interface FaxPage {
  width: number
  height: number
  bits: Uint8Array
}

const run = promisify(execFile)
const faxWidth = 1728

/** Lines, steps and a page number in bars: distinct pages that are not too easy to compress. */
export const drawFaxPage = (number: number, height = 1100): FaxPage => {
  const bytesPerRow = faxWidth / 8
  const bits = new Uint8Array(bytesPerRow * height)
  for (let y = 0; y < height; y++) {
    const row = bits.subarray(y * bytesPerRow, (y + 1) * bytesPerRow)
    if (y < 4 || y >= height - 4) row.fill(255)
    else if (y % 40 < 3) row.fill(0xff, 20, 40 + ((y * number) % 150))
    for (let bar = 0; bar < number; bar++) row[60 + bar * 4] = 0xff
    row[(y >> 3) % bytesPerRow] = 0x18
  }
  return { width: faxWidth, height, bits }
}

/** Uncompressed, as faxes are given to the engine. */
export const writeFaxTiff = async (file: string, pages: readonly FaxPage[]): Promise<void> => {
  const parts: Buffer[] = [Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])]
  let at = 8
  for (const [index, page] of pages.entries()) {
    const entries = tagsOf(page, index, pages.length, at + 2 + 12 * tagCount + 4)
    const next = at + 2 + 12 * tagCount + 4 + 16 + page.bits.length
    const padded = next + (next % 2)
    parts.push(directory(entries, index + 1 < pages.length ? padded : 0), resolution(), Buffer.from(page.bits), Buffer.alloc(padded - next))
    at = padded
  }
  await writeFile(file, Buffer.concat(parts))
}

type Tag = readonly [tag: number, type: number, count: number, value: number]
const short = 3
const long = 4
const rational = 5
const tagCount = 15

const tagsOf = ({ width, height, bits }: FaxPage, index: number, count: number, dataAt: number): Tag[] => [
  [254, long, 1, 2],
  [256, long, 1, width],
  [257, long, 1, height],
  [258, short, 1, 1],
  [259, short, 1, 1],
  [262, short, 1, 0],
  [266, short, 1, 1],
  [273, long, 1, dataAt + 16],
  [277, short, 1, 1],
  [278, long, 1, height],
  [279, long, 1, bits.length],
  [282, rational, 1, dataAt],
  [283, rational, 1, dataAt + 8],
  [296, short, 1, 2],
  [297, short, 2, index | (count << 16)],
]

const directory = (tags: readonly Tag[], next: number): Buffer => {
  const bytes = Buffer.alloc(2 + 12 * tags.length + 4)
  bytes.writeUInt16LE(tags.length, 0)
  for (const [index, [tag, type, count, value]] of tags.entries()) {
    const at = 2 + 12 * index
    bytes.writeUInt16LE(tag, at)
    bytes.writeUInt16LE(type, at + 2)
    bytes.writeUInt32LE(count, at + 4)
    bytes.writeUInt32LE(value, at + 8)
  }
  bytes.writeUInt32LE(next, bytes.length - 4)
  return bytes
}

/** 204×196 dpi. */
const resolution = (): Buffer => {
  const bytes = Buffer.alloc(16)
  for (const [index, value] of [204, 1, 196, 1].entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}

/** All pages of a TIFF with any compression, read by libtiff. */
export const readFaxTiff = async (t: Scope, file: string): Promise<FaxPage[]> => {
  const plain = join(await temporaryFolder(t), 'plain.tif')
  await run('tiffcp', ['-c', 'none', '-r', '100000', '-f', 'msb2lsb', file, plain])
  const bytes = await readFile(plain)
  const pages: FaxPage[] = []
  for (let at = bytes.readUInt32LE(4); at !== 0;) {
    const count = bytes.readUInt16LE(at)
    pages.push(pageAt(bytes, at, count))
    at = bytes.readUInt32LE(at + 2 + 12 * count)
  }
  return pages
}

const pageAt = (bytes: Buffer, directoryAt: number, count: number): FaxPage => {
  const tags = new Map<number, number[]>()
  for (let index = 0; index < count; index++) {
    const at = directoryAt + 2 + 12 * index
    tags.set(bytes.readUInt16LE(at), valuesAt(bytes, at))
  }
  const first = (tag: number): number => tags.get(tag)?.[0] ?? 0
  const strips = (tags.get(273) ?? []).map((at, index) => bytes.subarray(at, at + (tags.get(279)?.[index] ?? 0)))
  const bits = Buffer.concat(strips)
  const minIsBlack = first(262) === 1
  return { width: first(256), height: first(257), bits: minIsBlack ? bits.map((byte) => byte ^ 255) : bits }
}

const valuesAt = (bytes: Buffer, at: number): number[] => {
  const type = bytes.readUInt16LE(at + 2)
  if (type !== short && type !== long) return []
  const size = type === short ? 2 : 4
  const count = bytes.readUInt32LE(at + 4)
  const from = count * size <= 4 ? at + 8 : bytes.readUInt32LE(at + 8)
  return Array.from({ length: count }, (_, index) => bytes.readUIntLE(from + index * size, size))
}

/** Number of different pixels. The received page may have more rows at the top: the header line with sender and time. */
export const differentPixels = (sent: FaxPage, received: FaxPage): number => {
  if (sent.width !== received.width || received.height < sent.height) return sent.width * sent.height
  const bytesPerRow = (sent.width + 7) >> 3
  const body = received.bits.subarray((received.height - sent.height) * bytesPerRow)
  return sent.bits.reduce((sum, byte, index) => sum + ones(byte ^ (body[index] ?? 0)), 0)
}

const ones = (byte: number): number => {
  let count = 0
  for (let rest = byte; rest !== 0; rest &= rest - 1) count++
  return count
}
