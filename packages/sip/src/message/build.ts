import { elementEnd, isToken, unsendable } from '../grammar/scan.ts'
import { leniently } from '../grammar/lenient.ts'
import type { Request } from './message.ts'
import { reasonPhrase } from './reason-phrases.ts'
import { formatVia, stampVia } from '../grammar/via.ts'

/** In the order in which they go out, names as they go out. Content-Type and Content-Length are not among them: they belong to the body. */
export type HeaderLines = readonly (readonly [name: string, value: string])[]

export interface Body {
  /** `application/sdp` */
  type: string
  content: string | Uint8Array
}

/** A line break here would be a new header of the sender's choice to the receiver. */
const checked = (value: string): string => {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code === 13 || code === 10 || code === 0) throw unsendable('A header value has a line break')
  }
  return value
}

const headerText = (headers: HeaderLines): string => {
  let text = ''
  for (const [name, value] of headers) {
    if (!isToken(name)) throw unsendable('A header name is not a token')
    text += `${name}: ${checked(value)}\r\n`
  }
  return text
}

/** Start line and headers, each with its line end, and what belongs to the body. */
const assemble = (head: string, body: Body | undefined): Buffer => {
  if (body === undefined) return Buffer.from(`${head}Content-Length: 0\r\n\r\n`)
  const { content } = body
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length
  const text = `${head}Content-Type: ${checked(body.type)}\r\nContent-Length: ${length}\r\n\r\n`
  if (typeof content === 'string') return Buffer.from(text + content)
  return Buffer.concat([Buffer.from(text), content])
}

const requestLine = (method: string, uri: string): string => {
  if (!isToken(method)) throw unsendable('The method is not a token')
  for (let i = 0; i < uri.length; i++) if (uri.charCodeAt(i) <= 32) throw unsendable('The Request-URI has blanks')
  if (uri === '') throw unsendable('The Request-URI is empty')
  return `${method} ${uri} SIP/2.0\r\n`
}

export const buildRequest = (method: string, uri: string, headers: HeaderLines, body?: Body): Buffer =>
  assemble(requestLine(method, uri) + headerText(headers), body)

const statusLine = (status: number, reason: string | undefined): string => {
  if (!(Number.isInteger(status) && status >= 100 && status <= 699)) throw unsendable('There is no such status')
  return `SIP/2.0 ${status} ${checked(reason ?? reasonPhrase(status))}\r\n`
}

export const buildResponse = (status: number, headers: HeaderLines, parts: { reason?: string | undefined; body?: Body | undefined } = {}) =>
  assemble(statusLine(status, parts.reason) + headerText(headers), parts.body)

export interface Reply {
  reason?: string | undefined
  /** Our tag: put behind To unless the request has one there already, and never in 100. */
  toTag?: string | undefined
  headers?: HeaderLines | undefined
  body?: Body | undefined
  /** Where the request came from; goes into its topmost Via. */
  source?: { address: string; port: number } | undefined
}

/** What a response takes over from its request. The request may be one that could not be read in full. */
export type Answerable = Pick<Request, 'method' | 'lines' | 'header' | 'via' | 'to'>

const viaText = (request: Answerable, source: Reply['source']): string => {
  const lines = request.lines('via')
  const top = source === undefined ? undefined : leniently(() => request.via)
  const stamped = top === undefined ? undefined : stampVia(top, source!)
  let text = ''
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!
    const asWritten = index > 0 || stamped === undefined || stamped === top
    text += `Via: ${asWritten ? line : formatVia(stamped) + line.slice(elementEnd(line, 0))}\r\n`
  }
  return text
}

const toText = (request: Answerable, status: number, toTag: string | undefined): string => {
  const line = request.header('to')
  if (line === undefined) return ''
  const tag = toTag === undefined || status === 100 ? '' : `;tag=${checked(toTag)}`
  const untagged = tag !== '' && leniently(() => request.to.params['tag'] ?? '') === ''
  return `To: ${line}${untagged ? tag : ''}\r\n`
}

const copied = (request: Answerable, name: string, as: string): string => {
  let text = ''
  for (const line of request.lines(name)) text += `${as}: ${line}\r\n`
  return text
}

const startsDialog = (method: string): boolean => method === 'INVITE' || method === 'SUBSCRIBE' || method === 'REFER'

/** RFC 3261 §8.2.6, and §12.1.1 for Record-Route. */
export const respond = (request: Answerable, status: number, reply: Reply = {}): Buffer => {
  let head = statusLine(status, reply.reason) + viaText(request, reply.source)
  if (status > 100 && status < 300 && startsDialog(request.method)) head += copied(request, 'record-route', 'Record-Route')
  head += copied(request, 'from', 'From') + toText(request, status, reply.toTag)
  head += copied(request, 'call-id', 'Call-ID') + copied(request, 'cseq', 'CSeq')
  if (status === 100) head += copied(request, 'timestamp', 'Timestamp')
  return assemble(reply.headers === undefined ? head : head + headerText(reply.headers), reply.body)
}
