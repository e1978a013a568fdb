import { limits, isBlankCode, isDigitCode, isToken, malformed, parseNumber, skipToken, SipError } from '../grammar/scan.ts'
import { type Message, type Request, BrokenMessage } from './message.ts'
import { checkMessage, ReceivedMessage, type StartLine } from './received-message.ts'

interface ParseOptions {
  /** Received over a connection, where larger messages are allowed. */
  stream?: boolean
}

/** Keeps the first error but continues parsing: the response needs the later headers. */
interface Trouble {
  first: SipError | undefined
}

const note = (trouble: Trouble, error: unknown): void => {
  if (!(error instanceof SipError)) throw error
  trouble.first ??= error
}

/** `SIP/7.0` and other versions. */
const isSipVersion = (version: string): boolean => {
  const dot = version.indexOf('.')
  if (version.slice(0, 4).toUpperCase() !== 'SIP/' || dot < 5 || dot === version.length - 1) return false
  for (let i = 4; i < version.length; i++) if (i !== dot && !isDigitCode(version.charCodeAt(i))) return false
  return true
}

const checkVersion = (version: string): void => {
  if (version === 'SIP/2.0' || version.toUpperCase() === 'SIP/2.0') return
  if (isSipVersion(version)) throw new SipError(505, 'We speak SIP/2.0')
  throw malformed('The request line does not end with a SIP version')
}

const parseRequestLine = (line: string, start: StartLine): void => {
  const methodEnd = skipToken(line, 0)
  start.method = line.slice(0, methodEnd)
  if (methodEnd === 0 || line.charCodeAt(methodEnd) !== 32) throw malformed('The request line does not begin with a method')
  const uriEnd = line.indexOf(' ', methodEnd + 1)
  if (uriEnd <= methodEnd + 1) throw malformed('The request line has no Request-URI')
  start.uri = line.slice(methodEnd + 1, uriEnd)
  checkVersion(line.slice(uriEnd + 1))
}

const parseStatusLine = (line: string, start: StartLine): void => {
  if (line.slice(0, 8).toUpperCase() !== 'SIP/2.0 ') throw malformed('The status line has another version')
  const end = line.indexOf(' ', 8)
  const status = line.slice(8, end < 0 ? line.length : end)
  if (status.length !== 3) throw malformed('The status has not three digits')
  start.status = parseNumber(status, 699, 'The status')
  if (start.status < 100) throw malformed('The status is too small')
  start.reason = end < 0 ? '' : line.slice(end + 1)
}

const emptyStart = (kind: StartLine['kind']): StartLine => ({ kind, method: '', uri: '', status: 0, reason: '' })

const parseStartLine = (line: string, trouble: Trouble): StartLine => {
  const response = line.slice(0, 4).toUpperCase() === 'SIP/'
  const start = emptyStart(response ? 'response' : 'request')
  try {
    if (response) parseStatusLine(line, start)
    else parseRequestLine(line, start)
  } catch (error) {
    note(trouble, error)
  }
  return start
}

/** The index of the CR that ends the line at `from`. Rejects a lone CR or LF, which other parsers take for a line end. */
const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\r', from)
  if (end < 0 || text.charCodeAt(end + 1) !== 10 || text.indexOf('\n', from) !== end + 1) throw malformed('A line does not end with CRLF')
  return end
}

/** Replaces each line fold by one blank. */
const unfold = (text: string): string => {
  let unfolded = ''
  for (const line of text.split('\r\n')) unfolded += unfolded === '' ? line.trim() : ` ${line.trim()}`
  return unfolded.trimEnd()
}

const trimmed = (text: string, from: number, end: number): string => {
  let start = from
  let stop = end
  while (start < stop && isBlankCode(text.charCodeAt(start))) start++
  while (stop > start && isBlankCode(text.charCodeAt(stop - 1))) stop--
  return text.slice(start, stop)
}

class HeaderReader {
  readonly names: string[] = []
  readonly values: string[] = []
  #seen = 0
  readonly #trouble: Trouble

  constructor(trouble: Trouble) {
    this.#trouble = trouble
  }

  read(text: string, from: number): void {
    let start = from
    let count = 0
    try {
      while (start < text.length) {
        if (count++ === limits.headers) throw new SipError(513, 'Too many headers')
        start = this.#next(text, start)
      }
    } catch (error) {
      note(this.#trouble, error)
    }
  }

  /** Start of the next header. Skips a line that other parsers would take for two. */
  #next(text: string, start: number): number {
    let end = start - 2
    let folded = false
    try {
      end = lineEnd(text, start)
      while (isBlankCode(text.charCodeAt(end + 2))) {
        end = lineEnd(text, end + 2)
        folded = true
      }
    } catch (error) {
      note(this.#trouble, error)
      const next = text.indexOf('\r\n', Math.max(start, end + 2))
      return next < 0 ? text.length : next + 2
    }
    this.#line(text, start, end, folded)
    return end + 2
  }

  #line(text: string, start: number, end: number, folded: boolean): void {
    try {
      if (end - start > limits.headerLength) throw new SipError(513, 'A header is too long')
      this.#header(text, start, end, folded)
    } catch (error) {
      note(this.#trouble, error)
    }
  }

  #header(text: string, start: number, end: number, folded: boolean): void {
    const nameEnd = skipToken(text, start)
    let colon = nameEnd
    while (isBlankCode(text.charCodeAt(colon))) colon++
    if (colon >= end || text.charCodeAt(colon) !== 58) throw malformed('A header line has no colon after its name')
    const { name, single } = headerName(text.slice(start, nameEnd))
    if ((this.#seen & single) !== 0) throw malformed(`${name} is there twice`)
    this.#seen |= single
    this.names.push(name)
    this.values.push(folded ? unfold(text.slice(colon + 1, end)) : trimmed(text, colon + 1, end))
  }
}

/** The start line and all headers. */
const parseStart = (text: string, headers: HeaderReader, trouble: Trouble): StartLine => {
  try {
    const end = lineEnd(text, 0)
    if (end > limits.headerLength) throw new SipError(513, 'The start line is too long')
    const start = parseStartLine(text.slice(0, end), trouble)
    headers.read(text, end + 2)
    return start
  } catch (error) {
    note(trouble, error)
    return emptyStart('request')
  }
}

const contentLength = (message: ReceivedMessage, present: number): number => {
  const value = message.header('content-length')
  if (value === undefined) return present
  const length = parseNumber(value, 2 ** 31 - 1, 'Content-Length')
  if (length > present) throw malformed('The body is shorter than Content-Length says')
  return length
}

/** Keep-alives may precede a message (RFC 5626 §3.5.1). */
const skipLineBreaks = (bytes: Uint8Array): number => {
  let start = 0
  while (bytes[start] === 13 && bytes[start + 1] === 10) start += 2
  return start
}

const answerable = (message: ReceivedMessage): Request | undefined =>
  message.kind === 'request' && isToken(message.method) && message.header('via') !== undefined ? (message as Request) : undefined

/** Lines that end with LF alone get a 400; its response needs their headers, so they are converted to CRLF. */
const withLineEnds = (text: string, trouble: Trouble): string => {
  if (text.includes('\r') || !text.includes('\n')) return text
  trouble.first ??= malformed('A line does not end with CRLF')
  const end = text.indexOf('\n\n')
  return (end < 0 ? text : text.slice(0, end + 1)).replaceAll('\n', '\r\n')
}

/** Parses one complete message. Throws BrokenMessage; see there how to answer it. The body is a view into `bytes`. */
export const parseMessage = (bytes: Uint8Array, options: ParseOptions = {}): Message => {
  const trouble: Trouble = { first: undefined }
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length > (options.stream === true ? limits.streamBytes : limits.datagramBytes)) {
    trouble.first = new SipError(513, 'The message is too large')
  }
  const from = skipLineBreaks(buffer)
  const blankLine = buffer.indexOf('\r\n\r\n', from, 'latin1')
  if (blankLine < 0) trouble.first ??= malformed('The headers have no end')
  const headEnd = blankLine < 0 ? buffer.length : blankLine + 2
  const text = withLineEnds(buffer.toString('utf8', from, headEnd), trouble)
  const headers = new HeaderReader(trouble)
  const start = parseStart(text, headers, trouble)
  const message = new ReceivedMessage(start, headers.names, headers.values)
  try {
    checkMessage(message)
    const bodyStart = Math.min(headEnd + 2, buffer.length)
    message.body = buffer.subarray(bodyStart, bodyStart + contentLength(message, buffer.length - bodyStart))
  } catch (error) {
    note(trouble, error)
  }
  if (trouble.first === undefined) return message
  throw new BrokenMessage(trouble.first, answerable(message))
}

interface HeaderName {
  /** Long form, lower case. */
  readonly name: string
  /** A distinct bit if a message may have the header only once, else 0. */
  readonly single: number
}

const singles = [
  'call-id',
  'from',
  'to',
  'cseq',
  'max-forwards',
  'content-length',
  'content-type',
  'content-disposition',
  'expires',
  'min-expires',
  'session-expires',
  'min-se',
  'refer-to',
  'referred-by',
  'replaces',
  'event',
  'subscription-state',
  'rseq',
  'rack',
  'date',
  'retry-after',
]

const compact: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
}

const entries = new Map<string, HeaderName>(singles.map((name, bit) => [name, { name, single: 1 << bit }]))
/** Cache by spelling, so that common names cost one lookup. Bounded, because unknown sources can fill it. */
const spellings = new Map<string, HeaderName>()
const maxSpellings = 1_000

const entryOf = (spelling: string): HeaderName => {
  if (!isToken(spelling)) throw malformed('A header name is not a token')
  const lower = spelling.toLowerCase()
  const name = (lower.length === 1 ? compact[lower] : undefined) ?? lower
  return entries.get(name) ?? { name, single: 0 }
}

/** Any case, short or long. Throws SipError(400) for an invalid name. */
const headerName = (spelling: string): HeaderName => {
  const known = spellings.get(spelling)
  if (known !== undefined) return known
  const entry = entryOf(spelling)
  // A slice would keep the whole message in memory.
  if (spellings.size < maxSpellings) spellings.set(Buffer.from(spelling).toString(), entry)
  return entry
}
