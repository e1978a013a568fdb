import { inflateSync } from 'node:zlib'

// Total bytes that object streams may unpack to: a page is a few hundred bytes there, so this is ten thousand pages.
const inflateLimit = 4 * 1024 * 1024
// Characters and matches between yields: some milliseconds.
const windowLength = 256 * 1024
const findsAtOnce = 2_000
// Maximum length of a landmark, including its lookbehind and lookahead.
const longestLandmark = 128
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
  /** Object numbers, so that a page rewritten by a later save counts once. */
  pages: Set<string>
  /** Largest count claimed by a page tree. */
  count: number
  /** Bytes that may still be unpacked. */
  allowance: number
}

/** Checks the header and the trailer. */
export function isPdf(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  return bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) && bytes.subarray(-trailerSearch).includes('%%EOF')
}

/** Same as `countingPdfPages`, without yielding. */
export function countPdfPages(bytes: Uint8Array): number | undefined {
  const counting = countingPdfPages(bytes)
  for (;;) {
    const { done, value } = counting.next()
    if (done === true) return value
  }
}

/**
 * Estimates the pages of a PDF cheaply and without trusting it; undefined if it is not a PDF or shows no page. Sufficient for the price
 * estimate of a fax: billing uses the line time, and rendering determines the real count. Yields repeatedly: a file may have ten
 * megabytes.
 */
export function* countingPdfPages(bytes: Uint8Array): Generator<void, number | undefined> {
  if (!isPdf(bytes)) return undefined
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = file.toString('latin1')
  yield
  const found: Findings = { pages: new Set(), count: 0, allowance: inflateLimit }
  for (let at = 0; at < text.length; at += windowLength) {
    found.count = Math.max(found.count, largestCount(text.slice(at, at + windowLength + countFieldLength)))
    yield
  }
  yield* scanObjects(file, text, found)
  if (found.pages.size > 0) return found.pages.size
  return found.count > 0 ? found.count : undefined
}

function* scanObjects(file: Buffer, text: string, found: Findings): Generator<void> {
  let object = { number: '', start: 0, packed: false }
  for (const landmark of landmarksOf(text)) {
    if (landmark === 'pause') {
      yield
      continue
    }
    const { number, type, start, end } = landmark
    if (number !== undefined) object = { number, start, packed: false }
    else if (type === 'Page') found.pages.add(object.number)
    else if (type === 'ObjStm') object.packed = true
    else if (object.packed) {
      const dictionary = text.slice(object.start, Math.min(start, object.start + maxDictionaryLength))
      scanObjectStream(file.subarray(end, landmark.streamEnd), dictionary, found)
      yield
    }
  }
}

interface Landmark {
  number: string | undefined
  type: string | undefined
  start: number
  end: number
  /** End of a stream's content. */
  streamEnd: number
}

/** Objects, types and streams in order. The content of a stream is ignored as structure; an unterminated one is the last. */
function* landmarksOf(text: string): Generator<Landmark | 'pause'> {
  const pattern = new RegExp(`${objectStart}|${typeOf('Page|ObjStm')}|${streamStart}`, 'g')
  let finds = 0
  for (let at = 0; at < text.length;) {
    const from = Math.max(0, at - longestLandmark)
    const part = text.slice(from, at + windowLength + longestLandmark)
    pattern.lastIndex = at - from
    const match = pattern.exec(part)
    if (!match || match.index >= at - from + windowLength) {
      at += windowLength
      yield 'pause'
      continue
    }
    if (++finds % findsAtOnce === 0) yield 'pause'
    const [all, number, type] = match
    const start = from + match.index
    const end = start + all.length
    const streamEnd = number === undefined && type === undefined ? text.indexOf('endstream', end) : end
    if (streamEnd < 0) return
    yield { number, type, start, end, streamEnd }
    at = streamEnd
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

/** After one broken, encrypted or oversized stream no other is unpacked: many of them would take too long. */
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
  // Searching for the word first is much faster than a regular expression at every position of a large file.
  for (let at = text.indexOf('/Count'); at >= 0; at = text.indexOf('/Count', at + 1)) {
    const [, count = '0'] = countHere.exec(text.slice(at, at + countFieldLength)) ?? []
    maxBytes = Math.max(maxBytes, Number(count))
  }
  return maxBytes
}
