import { inflateSync } from 'node:zlib'

// All that object streams may unpack to, together: a page is a few hundred bytes there, so this is tens of thousands of pages.
const inflateLimit = 32 * 1024 * 1024
const trailerSearch = 1024
const longestDictionary = 2048
const longestIndex = 256 * 1024

/** `12 0 obj`, `/Type /Page` (but not `/Pages`) and `/Type /ObjStm`; every repetition is bounded, so a hostile file takes linear time. */
const landmarks = /(\d{1,10})\s{1,8}\d{1,5}\s{1,8}obj(?![a-z])|\/Type\s{0,32}\/(Page|ObjStm)(?![^\s/<>[\](){}%])/g
const page = /\/Type\s{0,32}\/Page(?![^\s/<>[\](){}%])/

interface Findings {
  /** Object numbers, so that a page that a later save wrote once more counts once. */
  pages: Set<string>
  /** The largest number some page tree says it has. */
  count: number
}

/**
 * How many pages a PDF has, judged cheaply and without trusting it; undefined if it is no PDF or shows no page. Good enough for the
 * price estimate of a fax. What is billed is the line time, and rendering has the last word.
 */
export function countPdfPages(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isPdf = file.subarray(0, 5).equals(Buffer.from('%PDF-')) && file.subarray(-trailerSearch).includes('%%EOF')
  if (!isPdf) return undefined
  const text = file.latin1Slice()
  const found: Findings = { pages: new Set(), count: largestCount(text) }
  const packed = scanObjects(text, found)
  scanObjectStreams(file, text, packed, found)
  if (found.pages.size > 0) return found.pages.size
  return found.count > 0 ? found.count : undefined
}

/** Collects the pages that stand in the open and returns where the object streams begin. */
function scanObjects(text: string, found: Findings): number[] {
  const objectStreams: number[] = []
  let object = { number: '', start: 0 }
  for (const landmark of text.matchAll(landmarks)) {
    const [, number, type] = landmark
    if (number !== undefined) object = { number, start: landmark.index }
    else if (type === 'Page') found.pages.add(object.number)
    else if (objectStreams.at(-1) !== object.start) objectStreams.push(object.start)
  }
  return objectStreams
}

function scanObjectStreams(file: Buffer, text: string, starts: number[], found: Findings): void {
  let allowance = inflateLimit
  let reached = 0
  for (const start of starts) {
    const dictionary = /^[^]*?stream/.exec(text.slice(start, start + longestDictionary))?.[0]
    // What lies inside the previous stream is its content, and looking twice at the same bytes would not be linear any more.
    if (dictionary === undefined || start < reached) continue
    const data = afterLineBreak(text, start + dictionary.length)
    reached = text.indexOf('endstream', data)
    if (reached < 0) return
    const unpacked = unpack(file.subarray(data, reached), dictionary, allowance)
    // A stream that is broken, encrypted or too large ends the search: its like could keep us busy for long.
    if (unpacked === undefined) return
    allowance -= unpacked.length
    scanPackedObjects(unpacked, dictionary, found)
  }
}

function unpack(data: Buffer, dictionary: string, limit: number): string | undefined {
  if (!dictionary.includes('/Filter')) return data.latin1Slice()
  if (limit <= 0 || !dictionary.includes('/FlateDecode')) return undefined
  try {
    return inflateSync(data, { maxOutputLength: limit }).latin1Slice()
  } catch {
    return undefined
  }
}

/** An object stream begins with pairs of object number and offset; the offsets ascend and count from `/First`, where the objects begin. */
function scanPackedObjects(unpacked: string, dictionary: string, found: Findings): void {
  found.count = Math.max(found.count, largestCount(unpacked))
  const first = Number(/\/First\s{1,8}(\d{1,8})/.exec(dictionary)?.[1] ?? 0)
  const index = unpacked.slice(0, Math.min(first, longestIndex)).match(/\d{1,10}/g) ?? []
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    const start = Number(index[pair + 1])
    const end = Number(index[pair + 3] ?? unpacked.length)
    if (end < start) return
    if (page.test(unpacked.slice(first + start, first + end))) found.pages.add(String(index[pair]))
  }
}

function largestCount(text: string): number {
  let largest = 0
  for (const [, count] of text.matchAll(/\/Count\s{1,8}(\d{1,7})(?!\d)/g)) largest = Math.max(largest, Number(count))
  return largest
}

function afterLineBreak(text: string, position: number): number {
  if (text.startsWith('\r\n', position)) return position + 2
  return text[position] === '\n' || text[position] === '\r' ? position + 1 : position
}
