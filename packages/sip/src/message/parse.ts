import { headerName } from './header-names.ts'
import { limits } from '../grammar/limits.ts'
import type { Message, Request } from './message.ts'
import { checkMessage, ReceivedMessage } from './received-message.ts'
import type { StartLine } from './received-message.ts'
import { isBlankCode, isDigitCode, isToken, malformed, parseNumber, skipToken } from '../grammar/scan.ts'
import { BrokenMessage } from './broken-message.ts'
import { SipError } from '../grammar/sip-error.ts'

export interface ParseOptions {
  /** It came over a connection, where larger messages are allowed. */
  stream?: boolean
}

/** The first trouble decides, but reading goes on: the answer needs the headers behind it. */
interface Trouble {
  first: SipError | undefined
}

const note = (trouble: Trouble, error: unknown): void => {
  if (!(error instanceof SipError)) throw error
  trouble.first ??= error
}

/** `SIP/7.0` and the like. */
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

/** Where the line ends that begins at `from`: the index of its CR. A CR or LF on its own would be a line end to others: refused. */
const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\r', from)
  if (end < 0 || text.charCodeAt(end + 1) !== 10 || text.indexOf('\n', from) !== end + 1) throw malformed('A line does not end with CRLF')
  return end
}

/** A continuation line begins with a blank and counts as one blank. */
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

  /** Where the header after this one begins. A line that others would take for two is passed over. */
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

/** Keep-alives may stand before a message (RFC 5626 §3.5.1). */
const skipLineBreaks = (bytes: Uint8Array): number => {
  let start = 0
  while (bytes[start] === 13 && bytes[start + 1] === 10) start += 2
  return start
}

const answerable = (message: ReceivedMessage): Request | undefined =>
  message.kind === 'request' && isToken(message.method) && message.header('via') !== undefined ? (message as Request) : undefined

/** A sender that ends every line with LF alone gets a 400: for that its headers are read as it meant them. */
const withLineEnds = (text: string, trouble: Trouble): string => {
  if (text.includes('\r') || !text.includes('\n')) return text
  trouble.first ??= malformed('A line does not end with CRLF')
  const end = text.indexOf('\n\n')
  return (end < 0 ? text : text.slice(0, end + 1)).replaceAll('\n', '\r\n')
}

/** One whole message. Throws BrokenMessage; see there how to answer it. The body is a view into `bytes`. */
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
