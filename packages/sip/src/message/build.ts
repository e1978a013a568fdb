import { elementEnd, isToken, unsendable, leniently } from '../grammar/scan.ts'
import type { Request } from './message.ts'
import { formatVia, stampVia } from '../grammar/headers.ts'

/** Headers in sending order and spelling. Excludes Content-Type and Content-Length, which belong to the body. */
export type HeaderLines = readonly (readonly [name: string, value: string])[]

export interface Body {
  /** `application/sdp` */
  type: string
  content: string | Uint8Array
}

/** One part of a multipart body. */
export interface BodyPart {
  /** `application/pidf+xml` */
  type: string
  /** Content-ID, Content-Disposition and similar headers. */
  headers?: HeaderLines
  content: string
}

/** Prevents header injection through a line break. */
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

/** RFC 5621; `boundary` is a token that occurs in no part. */
export const multipartBody = (parts: readonly BodyPart[], boundary: string): Body => {
  const written = parts.map(({ type, headers = [], content }) => {
    const head = headerText([['Content-Type', type], ...headers])
    return `--${boundary}\r\n${head}\r\n${content}\r\n`
  })
  return { type: `multipart/mixed;boundary=${boundary}`, content: `${written.join('')}--${boundary}--\r\n` }
}

/** Joins start line and headers, each with its line end, and the body. */
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

interface Reply {
  reason?: string | undefined
  /** Our tag: added to To unless the request has one, and never in a 100. */
  toTag?: string | undefined
  headers?: HeaderLines | undefined
  body?: Body | undefined
  /** Source of the request; added to its topmost Via. */
  source?: { address: string; port: number } | undefined
}

/** Request fields that a response copies. The request may be partially parsed. */
type Answerable = Pick<Request, 'method' | 'lines' | 'header' | 'via' | 'to'>

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

/** Default reason phrases by status. */
const phrases: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  181: 'Call Is Being Forwarded',
  182: 'Queued',
  183: 'Session Progress',
  199: 'Early Dialog Terminated',
  200: 'OK',
  202: 'Accepted',
  204: 'No Notification',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Moved Temporarily',
  305: 'Use Proxy',
  380: 'Alternative Service',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  412: 'Conditional Request Failed',
  413: 'Request Entity Too Large',
  414: 'Request-URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  421: 'Extension Required',
  422: 'Session Interval Too Small',
  423: 'Interval Too Brief',
  429: 'Provide Referrer Identity',
  430: 'Flow Failed',
  433: 'Anonymity Disallowed',
  439: 'First Hop Lacks Outbound Support',
  469: 'Bad Info Package',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  484: 'Address Incomplete',
  485: 'Ambiguous',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
  491: 'Request Pending',
  493: 'Undecipherable',
  494: 'Security Agreement Required',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  505: 'Version Not Supported',
  513: 'Message Too Large',
  580: 'Precondition Failure',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
  606: 'Not Acceptable',
  607: 'Unwanted',
  608: 'Rejected',
}

const classes = ['Trying', 'Session Progress', 'OK', 'Redirected', 'Request Failure', 'Server Failure', 'Global Failure']

export const reasonPhrase = (status: number): string => phrases[status] ?? classes[Math.floor(status / 100)] ?? 'Unknown'
