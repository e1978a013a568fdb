import type { NameAddr, Via } from '../grammar/headers.ts'
import type { SipUri } from '../grammar/uri.ts'
import { SipError, leniently, parseParams } from '../grammar/scan.ts'

/** Common part of requests and responses. Header names are passed in lower case and long form. */
interface Headers {
  readonly callId: string
  readonly from: NameAddr
  readonly to: NameAddr
  readonly fromTag: string | undefined
  readonly toTag: string | undefined
  readonly cseq: { readonly number: number; readonly method: string }
  /** The topmost one. */
  readonly via: Via
  readonly contacts: readonly NameAddr[]
  readonly body: Uint8Array
  /** The first value. */
  header(name: string): string | undefined
  /** All lines, as written, unfolded. */
  lines(name: string): readonly string[]
  /** Split at commas outside quotes and angle brackets. */
  list(name: string): string[]
}

export interface Request extends Headers {
  readonly kind: 'request'
  readonly method: string
  /** As written. */
  readonly uri: string
  /** Throws SipError(416) for an unsupported scheme and 400 for malformed input. */
  readonly target: SipUri
}

export interface Response extends Headers {
  readonly kind: 'response'
  readonly status: number
  readonly reason: string
}

export type Message = Request | Response

/** An unparsable message. */
export class BrokenMessage extends SipError {
  /**
   * The parsed part of the request, for a response. It is incomplete, and its getters may throw. Undefined if it is not a request or has no
   * Via line, so that no response is possible.
   */
  readonly received: Request | undefined

  constructor({ status, message }: SipError, received: Request | undefined) {
    super(status, message)
    this.name = 'BrokenMessage'
    this.received = received
  }
}

/** In lower case and without parameters. */
export const mediaType = (value: string): string => {
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}

/** A parameter of a header such as Content-Type. */
export const paramOf = (value: string, name: string): string | undefined => {
  const start = value.indexOf(';')
  return start < 0 ? undefined : leniently(() => parseParams(value, start)[name])
}

/** One part of a multipart body: its headers, a blank line, its content. */
const partContent = (part: string, type: string): string | undefined => {
  const headEnd = part.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  for (const line of part.slice(0, headEnd).split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if ((name === 'content-type' || name === 'c') && mediaType(line.slice(colon + 1)) === type) return part.slice(headEnd + 4)
  }
  return undefined
}

const fromMultipart = (text: string, boundary: string, type: string): string | undefined => {
  const delimiter = `\r\n--${boundary}`
  for (const part of `\r\n${text}`.split(delimiter).slice(1)) {
    if (part.startsWith('--')) return undefined
    const content = partContent(part, type)
    if (content !== undefined) return content
  }
  return undefined
}

/** The SDP of a message, also as one part of a multipart body. */
export const sdpOf = (message: Request | Response): string | undefined => {
  if (message.body.length === 0) return undefined
  const type = mediaType(message.header('content-type') ?? '')
  if (type !== 'application/sdp' && !type.startsWith('multipart/')) return undefined
  const text = Buffer.from(message.body.buffer, message.body.byteOffset, message.body.byteLength).toString('utf8')
  if (type === 'application/sdp') return text
  const boundary = paramOf(message.header('content-type') ?? '', 'boundary')
  return boundary === undefined ? undefined : fromMultipart(text, boundary, 'application/sdp')
}

/** A required body in place of SDP that we do not understand (RFC 3261 §8.2.3). */
export const hasForeignBody = (message: Request): boolean => {
  if (message.body.length === 0) return false
  const encoding = message.header('content-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') return true
  const type = mediaType(message.header('content-type') ?? '')
  if (type === 'application/sdp' || type.startsWith('multipart/')) return false
  return paramOf(message.header('content-disposition') ?? '', 'handling')?.toLowerCase() !== 'optional'
}
