import { closeSync, openSync, readSync } from 'node:fs'

const headerBytes = 8
const entryBytes = 12
const littleEndian = 0x4949

/** How many whole pages are in a TIFF, of `most` at most: as many as its directories can be followed. None when it cannot be read. */
export const countTiffPages = (file: string, max: number): number => {
  let pages = 0
  try {
    const descriptor = openSync(file, 'r')
    try {
      const read = (at: number, length: number): DataView => readAt(descriptor, at, length)
      const header = read(0, headerBytes)
      const little = header.getUint16(0) === littleEndian
      for (let at = header.getUint32(4, little); at !== 0 && pages < max; pages++) {
        const end = at + 2 + entryBytes * read(at, 2).getUint16(0, little)
        at = read(end, 4).getUint32(0, little)
      }
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return pages
  }
  return pages
}

/** Throws at the end of the file. */
const readAt = (descriptor: number, at: number, length: number): DataView => {
  const bytes = new Uint8Array(length)
  if (readSync(descriptor, bytes, 0, length, at) < length) throw new Error('the file ends here')
  return new DataView(bytes.buffer)
}
