import { inflateSync } from 'node:zlib'

// All that object streams may unpack to, together: a page is a few hundred bytes there, so this is tens of thousands of pages.
const inflateLimit = 32 * 1024 * 1024
const trailerSearch = 1024
const maxDictionaryLength = 2048
const maxIndexLength = 256 * 1024

// Every repetition is bounded, so that a hostile file takes linear time. A name ends at white space, a delimiter or the end.
const objectStart = String.raw`(\d{1,10})\s{1,8}\d{1,5}\s{1,8}obj(?![a-z])`
const typeOf = (names: string) => String.raw`/Type\s{0,32}/(${names})(?![^\s/<>[\](){}%])`
const streamStart = String.raw`(?<!end)stream(?:\r\n?|\n)`
const page = new RegExp(typeOf('Page'))
const countHere = /^\/Count\s{1,8}(\d{1,7})(?!\d)/
const countFieldLength = '/Count'.length + 8 + 7 + 1

interface Findings {
  /** Object numbers, so that a page that a later save wrote once more counts once. */
  pages: Set<string>
  /** The largest number some page tree says it has. */
  count: number
  /** Bytes that may still be unpacked. */
  allowance: number
}

/** By its first and last words. */
export function isPdf(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  return bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) && bytes.subarray(-trailerSearch).includes('%%EOF')
}

/**
 * How many pages a PDF has, judged cheaply and without trusting it; undefined if it is no PDF or shows no page. Good enough for the
 * price estimate of a fax. What is billed is the line time, and rendering has the last word.
 */
export function countPdfPages(bytes: Uint8Array): number | undefined {
  if (!isPdf(bytes)) return undefined
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = file.toString('latin1')
  const found: Findings = { pages: new Set(), count: largestCount(text), allowance: inflateLimit }
  scanObjects(file, text, found)
  if (found.pages.size > 0) return found.pages.size
  return found.count > 0 ? found.count : undefined
}

function scanObjects(file: Buffer, text: string, found: Findings): void {
  const landmarks = new RegExp(`${objectStart}|${typeOf('Page|ObjStm')}|${streamStart}`, 'g')
  let object = { number: '', start: 0, packed: false }
  for (let landmark = landmarks.exec(text); landmark; landmark = landmarks.exec(text)) {
    const [, number, type] = landmark
    if (number !== undefined) object = { number, start: landmark.index, packed: false }
    else if (type === 'Page') found.pages.add(object.number)
    else if (type === 'ObjStm') object.packed = true
    else {
      const end = text.indexOf('endstream', landmarks.lastIndex)
      if (end < 0) return
      const dictionary = text.slice(object.start, Math.min(landmark.index, object.start + maxDictionaryLength))
      if (object.packed) scanObjectStream(file.subarray(landmarks.lastIndex, end), dictionary, found)
      // The content of a stream is no structure, whatever it looks like.
      landmarks.lastIndex = end
    }
  }
}

/** An object stream begins with pairs of object number and offset; the offsets ascend and count from `/First`, where the objects begin. */
function scanObjectStream(data: Buffer, dictionary: string, found: Findings): void {
  const unpacked = unpack(data, dictionary, found)
  found.count = Math.max(found.count, largestCount(unpacked))
  const first = Number(/\/First\s{1,8}(\d{1,8})/.exec(dictionary)?.[1] ?? 0)
  const index = unpacked.slice(0, Math.min(first, maxIndexLength)).match(/\d{1,10}/g) ?? []
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    const start = Number(index[pair + 1])
    const end = Number(index[pair + 3] ?? unpacked.length)
    if (end < start) return
    if (page.test(unpacked.slice(first + start, first + end))) found.pages.add(String(index[pair]))
  }
}

/** After one stream that is broken, encrypted or too large no other is unpacked: its like could keep us busy for long. */
function unpack(data: Buffer, dictionary: string, found: Findings): string {
  if (!dictionary.includes('/Filter')) return data.toString('latin1')
  if (found.allowance <= 0 || !dictionary.includes('/FlateDecode')) return ''
  try {
    const unpacked = inflateSync(data, { maxOutputLength: found.allowance })
    found.allowance -= unpacked.length
    return unpacked.toString('latin1')
  } catch {
    found.allowance = 0
    return ''
  }
}

function largestCount(text: string): number {
  let maxBytes = 0
  // To look for the word first is much faster than to try an expression at every place of a large file.
  for (let at = text.indexOf('/Count'); at >= 0; at = text.indexOf('/Count', at + 1)) {
    const [, count = '0'] = countHere.exec(text.slice(at, at + countFieldLength)) ?? []
    maxBytes = Math.max(maxBytes, Number(count))
  }
  return maxBytes
}
