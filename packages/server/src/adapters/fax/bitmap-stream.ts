import type { Readable } from 'node:stream'
import { rowBytes, type MonoPage } from './mono-page.ts'

const longestHeader = 64

/** Bitmaps as renderers write them, one after the other (PBM, P4). Throws when it is something else or larger than `mostBytes` each. */
export async function* readBitmaps(stream: Readable, mostBytes: number): AsyncGenerator<MonoPage, void, undefined> {
  let rest = Buffer.alloc(0)
  const pieces: Buffer[] = []
  let waiting = 0
  let wanted = 0
  for await (const piece of stream) {
    pieces.push(piece as Buffer)
    waiting += (piece as Buffer).length
    if (rest.length + waiting < wanted) continue
    rest = Buffer.concat([rest, ...pieces.splice(0)])
    waiting = 0
    let found = readOne(rest, mostBytes)
    for (; typeof found !== 'number'; found = readOne(rest, mostBytes)) {
      rest = rest.subarray(found.end)
      yield found.page
    }
    wanted = found
  }
  if (rest.length + waiting > 0) throw new Error('a bitmap is incomplete')
}

/** The first bitmap and where it ends, or how many bytes there must be before another look makes sense. */
const readOne = (bytes: Buffer, mostBytes: number): { page: MonoPage; end: number } | number => {
  const [header, columns, rows] = /^P4\s(\d{1,6})\s(\d{1,6})\s/.exec(bytes.toString('latin1', 0, longestHeader)) ?? []
  if (header === undefined) {
    if (bytes.length >= longestHeader) throw new Error('this is no bitmap')
    return bytes.length + 1
  }
  const [width, height] = [Number(columns), Number(rows)]
  const size = rowBytes(width) * height
  if (size > mostBytes) throw new Error('a bitmap is too large')
  const end = header.length + size
  if (bytes.length < end) return end
  return { page: { width, height, bits: new Uint8Array(bytes.subarray(header.length, end)) }, end }
}
