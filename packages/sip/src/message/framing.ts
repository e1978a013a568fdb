import { limits, isTokenCode, malformed, parseNumber, skipBlanks, skipToken, SipError } from '../grammar/scan.ts'
import { parseMessage } from './parse.ts'
import { BrokenMessage } from './message.ts'

interface Framed {
  /** Complete messages in order; each has its own memory. */
  messages: Buffer[]
  /** Number of keep-alives received (two line breaks); each must be answered with one line break (RFC 5626 §3.5.1). */
  pings: number
  /** The start of the next message is unknown: answer this one if possible, then close the connection. Earlier messages are still valid. */
  broken?: BrokenMessage
}

const CR = 13
const LF = 10

/** Whether a datagram or WebSocket message only keeps a NAT binding open: line breaks and zeros. */
export const isKeepAlive = (message: Uint8Array): boolean =>
  message.length <= 8 && message.every((byte) => byte === CR || byte === LF || byte === 0)

/** The value of a header line that begins at `from`, if it is Content-Length in any spelling. Includes folded lines. */
const lengthValue = (head: string, from: number, end: number): string | undefined => {
  const first = head.charCodeAt(from) | 32
  if (first !== 99 && first !== 108) return undefined
  const nameEnd = skipToken(head, from)
  const colon = skipBlanks(head, nameEnd)
  const name = head.slice(from, nameEnd).toLowerCase()
  if (head.charCodeAt(colon) !== 58 || (name !== 'content-length' && name !== 'l')) return undefined
  return head.slice(colon + 1, end).trim()
}

/** RFC 3261 §18.3: over a stream every message needs a Content-Length. */
const declaredLength = (head: string): number => {
  let found: string | undefined
  for (let start = 0; start < head.length;) {
    let end = head.indexOf('\r\n', start)
    while (end >= 0 && (head.charCodeAt(end + 2) === 32 || head.charCodeAt(end + 2) === 9)) end = head.indexOf('\r\n', end + 2)
    if (end < 0) end = head.length
    const value = lengthValue(head, start, end)
    if (value !== undefined && found !== undefined) throw malformed('Content-Length is there twice')
    found ??= value
    start = end + 2
  }
  if (found === undefined) throw malformed('Content-Length is missing')
  return parseNumber(found, 2 ** 31 - 1, 'Content-Length')
}

/** Adds the parsed part of the message, for a response. */
const answerable = (head: Uint8Array, error: unknown): BrokenMessage => {
  if (!(error instanceof SipError)) throw error
  try {
    const message = parseMessage(head, { stream: true })
    return new BrokenMessage(error, message.kind === 'request' ? message : undefined)
  } catch (again) {
    if (!(again instanceof BrokenMessage)) throw again
    return new BrokenMessage(error, again.received)
  }
}

/** Splits the bytes of a TCP or TLS connection into messages. One per connection. */
export class StreamFramer {
  #buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  /** How far the blank line of the message at #start was searched for. */
  #searched = 0
  /** End of the message at #start; 0 while unknown. */
  #messageEnd = 0
  #lineBreaks = 0
  #broken = false

  /** An incomplete message is buffered. */
  get partial(): boolean {
    return this.#end > this.#start
  }

  feed(chunk: Uint8Array): Framed {
    const framed: Framed = { messages: [], pings: 0 }
    if (this.#broken) return framed
    this.#append(chunk)
    try {
      while (this.#skipLineBreaks(framed) && this.#findEnd() && this.#take(framed)) continue
      this.#release()
    } catch (error) {
      this.#broken = true
      framed.broken = answerable(this.#buffer.subarray(this.#start, Math.min(this.#end, this.#start + limits.streamBytes)), error)
      this.#buffer = Buffer.alloc(0)
      this.#start = this.#end = 0
    }
    return framed
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#end + chunk.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#end)
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#end)
    this.#end = needed
  }

  /** Between messages. Returns false if more bytes are needed. */
  #skipLineBreaks(framed: Framed): boolean {
    if (this.#messageEnd > 0 || this.#searched > this.#start) return true
    while (this.#start + 1 < this.#end && this.#buffer[this.#start] === CR && this.#buffer[this.#start + 1] === LF) {
      this.#start += 2
      this.#lineBreaks++
      if (this.#lineBreaks % 2 === 0) framed.pings++
    }
    this.#searched = this.#start
    if (this.#start === this.#end) return false
    const first = this.#buffer[this.#start]!
    if (first === CR && this.#start + 1 === this.#end) return false
    if (!isTokenCode(first)) throw malformed('This is not SIP')
    this.#lineBreaks = 0
    return true
  }

  /** Returns false if the headers are incomplete. */
  #findEnd(): boolean {
    if (this.#messageEnd > 0) return true
    const blankLine = this.#buffer.subarray(0, this.#end).indexOf('\r\n\r\n', this.#searched, 'latin1')
    const bareLines = this.#buffer.subarray(0, blankLine < 0 ? this.#end : blankLine).indexOf('\n\n', this.#searched, 'latin1')
    if (bareLines >= 0) throw malformed('A line does not end with CRLF')
    const length = (blankLine < 0 ? this.#end : blankLine + 4) - this.#start
    if (length > limits.streamBytes) throw new SipError(513, 'The message is too large')
    if (blankLine < 0) {
      this.#searched = Math.max(this.#start, this.#end - 3)
      return false
    }
    const body = declaredLength(this.#buffer.toString('latin1', this.#start, blankLine + 2))
    if (length + body > limits.streamBytes) throw new SipError(513, 'The message is too large')
    this.#messageEnd = blankLine + 4 + body
    return true
  }

  #take(framed: Framed): boolean {
    if (this.#messageEnd > this.#end) return false
    framed.messages.push(Buffer.from(this.#buffer.subarray(this.#start, this.#messageEnd)))
    this.#start = this.#searched = this.#messageEnd
    this.#messageEnd = 0
    return true
  }

  /** Frees delivered messages; an idle connection holds no memory. */
  #release(): void {
    if (this.#start === 0) return
    const rest = this.#end - this.#start
    const buffer = rest === 0 ? Buffer.alloc(0) : Buffer.from(this.#buffer.subarray(this.#start, this.#end))
    if (this.#messageEnd > 0) this.#messageEnd -= this.#start
    this.#searched -= this.#start
    this.#buffer = buffer
    this.#start = 0
    this.#end = rest
  }
}
