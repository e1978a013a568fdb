import {
  type Params,
  formatParams,
  parseParams,
  emptyParams,
  isToken,
  malformed,
  parseNumber,
  quote,
  splitList,
  isDigitCode,
  skipBlanks,
  skipToken,
  noParams,
  closingQuote,
  unquote,
  unsendable,
} from './scan.ts'
import { bareHost, hostEnd, parseHost, parsePort } from './uri.ts'

const maxBytes = 2 ** 32 - 1

export interface ValueWithParams {
  value: string
  params: Params
}

/** `value;name=value`: Event, Content-Type, Content-Disposition, Subscription-State … */
export const parseValue = (text: string): ValueWithParams => {
  const semicolon = text.indexOf(';')
  const value = (semicolon < 0 ? text : text.slice(0, semicolon)).trim()
  if (value === '') throw malformed('A header value is empty')
  return { value, params: parseParams(text, semicolon < 0 ? text.length : semicolon) }
}

/** The media type without parameters, in lower case. */
export const mediaType = (text: string): string => parseValue(text).value.toLowerCase()

export const parseSeconds = (text: string, what = 'A time'): number => parseNumber(text.trim(), maxBytes, what)

export interface SessionExpires {
  seconds: number
  refresher: 'uac' | 'uas' | undefined
}

/** RFC 4028 §4. Min-SE has the same syntax; its refresher is ignored. */
export const parseSessionExpires = (text: string): SessionExpires => {
  const { value, params } = parseValue(text)
  const refresher = params['refresher']?.toLowerCase()
  if (refresher !== undefined && refresher !== 'uac' && refresher !== 'uas') throw malformed('The refresher is neither uac nor uas')
  return { seconds: parseSeconds(value, 'Session-Expires'), refresher }
}

export const formatSessionExpires = ({ seconds, refresher }: SessionExpires): string =>
  refresher === undefined ? String(seconds) : `${seconds};refresher=${refresher}`

export interface RAck {
  rseq: number
  cseq: number
  method: string
}

/** RFC 3262 §7.2: the RSeq and CSeq of the confirmed response. */
export const parseRAck = (text: string): RAck => {
  const parts = text.split(/[ \t]/).filter((part) => part !== '')
  const [rseq = '', cseq = '', method = ''] = parts
  if (parts.length !== 3 || !isToken(method)) throw malformed('RAck is not two numbers and a method')
  return { rseq: parseNumber(rseq, maxBytes, 'RAck'), cseq: parseNumber(cseq, 2 ** 31 - 1, 'RAck'), method }
}

export const formatRAck = ({ rseq, cseq, method }: RAck): string => `${rseq} ${cseq} ${method}`

export interface Replaces {
  callId: string
  toTag: string
  fromTag: string
  earlyOnly: boolean
}

/** RFC 3891 §6.1. Tags from the receiver's view: `toTag` is its own. */
export const parseReplaces = (text: string): Replaces => {
  const { value, params } = parseValue(text)
  const toTag = params['to-tag'] ?? ''
  const fromTag = params['from-tag'] ?? ''
  if (toTag === '' || fromTag === '') throw malformed('Replaces has no tags')
  return { callId: value, toTag, fromTag, earlyOnly: params['early-only'] !== undefined }
}

export const formatReplaces = ({ callId, toTag, fromTag, earlyOnly }: Replaces): string =>
  `${callId}${formatParams({ 'to-tag': toTag, 'from-tag': fromTag, 'early-only': earlyOnly ? '' : undefined })}`

/** RFC 3261 §20.33: seconds, optional comment, optional parameters. */
export const parseRetryAfter = (text: string): number => {
  let digits = 0
  while (digits < text.length && text.charCodeAt(digits) > 32 && text[digits] !== ';' && text[digits] !== '(') digits++
  return parseNumber(text.slice(0, digits), maxBytes, 'Retry-After')
}

export interface Reason {
  /** In upper case: SIP, Q.850. */
  protocol: string
  cause: number | undefined
  text: string | undefined
}

/** RFC 3326. One value of the list. */
export const parseReason = (text: string): Reason => {
  const { value, params } = parseValue(text)
  const cause = params['cause']
  return {
    protocol: value.toUpperCase(),
    cause: cause === undefined ? undefined : parseNumber(cause, 999, 'The cause'),
    text: params['text'],
  }
}

export const formatReason = ({ protocol, cause, text }: Reason): string =>
  `${protocol}${cause === undefined ? '' : `;cause=${cause}`}${text === undefined ? '' : `;text=${quote(text)}`}`

/** RFC 3323: requested privacy, in lower case: `id`, `user`, `header`, `session`, `none`, `critical`. */
export const parsePrivacy = (text: string): string[] => {
  const values = text.split(/[;,]/).map((value) => value.trim().toLowerCase())
  return values.filter((value) => value !== '')
}

/** Whether Supported, Require, Allow … contains an element. Option tags are compared case-insensitively; methods are upper case anyway. */
export const hasElement = (lines: readonly string[], element: string): boolean => {
  const wanted = element.toLowerCase()
  return lines.some((line) => {
    const list = line.toLowerCase()
    if (!list.includes(wanted)) return false
    const elements: string[] = []
    splitList(list, elements)
    return elements.includes(wanted)
  })
}

export interface Via {
  /** In upper case: UDP, TCP, TLS, WS, WSS. */
  transport: string
  host: string
  port: number | undefined
  params: Params
}

const slashAfter = (text: string, from: number): number => {
  const tokenEnd = skipToken(text, from)
  const slash = skipBlanks(text, tokenEnd)
  if (tokenEnd === from || text.charCodeAt(slash) !== 47) throw malformed('Via does not begin with a protocol')
  return skipBlanks(text, slash + 1)
}

/** One value. Accepts any protocol version: the response to a request of another version must still be routed. */
export const parseVia = (text: string): Via => {
  const transportStart = slashAfter(text, slashAfter(text, skipBlanks(text, 0)))
  const transportEnd = skipToken(text, transportStart)
  const hostStart = skipBlanks(text, transportEnd)
  if (transportEnd === transportStart || hostStart === transportEnd) throw malformed('Via has no transport')
  const end = hostEnd(text, hostStart)
  const host = parseHost(text.slice(hostStart, end))
  let i = skipBlanks(text, end)
  let port: number | undefined
  if (text.charCodeAt(i) === 58) {
    const portStart = skipBlanks(text, i + 1)
    i = portStart
    while (isDigitCode(text.charCodeAt(i))) i++
    port = parsePort(text.slice(portStart, i))
  }
  return { transport: text.slice(transportStart, transportEnd).toUpperCase(), host, port, params: parseParams(text, i) }
}

export const formatVia = ({ transport, host, port, params }: Via): string =>
  `SIP/2.0/${transport} ${host}${port === undefined ? '' : `:${port}`}${formatParams(params)}`

/**
 * Adds the real source to the topmost Via of a request (RFC 3261 §18.2.1, RFC 3581 §4). Always sets `received` if `rport` was requested.
 */
export const stampVia = (via: Via, source: { address: string; port: number }): Via => {
  const asked = via.params['rport'] !== undefined
  const address = bareHost(source.address)
  if (!asked && bareHost(via.host) === address) return via
  const params = Object.assign(emptyParams(), via.params, { received: address })
  if (asked) params['rport'] = String(source.port)
  return { ...via, params }
}

export interface NameAddr {
  display: string
  /** As written, without angle brackets. */
  uri: string
  params: Params
}

/** The index of the end of the display name or the bare address: `<`, `;`, or the end of the text. */
const plainPartEnd = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 60 || code === 59) return i
    if (code === 34 || code === 44 || code === 62) throw malformed('A display name has a character that needs quotes')
  }
  return text.length
}

const checkAddress = (uri: string): void => {
  for (let i = 0; i < uri.length; i++) {
    const code = uri.charCodeAt(i)
    if (code <= 32 || code === 34 || code === 60 || code === 127) throw malformed('An address has a character that it cannot have')
  }
  if (uri.indexOf(':') < 1) throw malformed('An address has no scheme')
}

const afterBracket = (text: string, open: number, display: string): NameAddr => {
  const close = text.indexOf('>', open)
  if (close < 0) throw malformed('An angle bracket is not closed')
  const uri = text.slice(open + 1, close)
  checkAddress(uri)
  return { display, uri, params: parseParams(text, close + 1) }
}

/** Without brackets everything after the semicolon belongs to the header, and the URI has no ? (RFC 3261 §20.10). */
const bareAddress = (text: string, from: number, end: number): NameAddr => {
  const uri = text.slice(from, end).trimEnd()
  checkAddress(uri)
  if (uri.includes('?')) throw malformed('An address with a question mark needs angle brackets')
  return { display: '', uri, params: parseParams(text, end) }
}

/** `"Anna" <sip:anna@example.org>;tag=1`, `Anna <…>`, `<…>`, `sip:anna@example.org;tag=1` or `*`. Throws SipError(400). */
export const parseNameAddr = (text: string): NameAddr => {
  const start = skipBlanks(text, 0)
  if (text.charCodeAt(start) === 34) {
    const close = closingQuote(text, start)
    const bracket = skipBlanks(text, close + 1)
    if (text.charCodeAt(bracket) !== 60) throw malformed('A display name is not followed by an address')
    return afterBracket(text, bracket, unquote(text, start, close))
  }
  const end = plainPartEnd(text, start)
  if (text.charCodeAt(end) === 60) return afterBracket(text, end, text.slice(start, end).trimEnd())
  if (text.trim() === '*') return { display: '', uri: '*', params: noParams }
  return bareAddress(text, start, end)
}

/** All values of all lines of one header: Contact, Route, P-Asserted-Identity, Diversion … */
export const parseNameAddrs = (lines: readonly string[]): NameAddr[] => {
  const elements: string[] = []
  for (const line of lines) splitList(line, elements)
  return elements.map(parseNameAddr)
}

interface NameAddrDraft {
  display?: string
  uri: string
  params?: Params | Readonly<Record<string, string | undefined>>
}

export const formatNameAddr = ({ display, uri, params }: NameAddrDraft): string => {
  try {
    if (uri.includes('>')) throw malformed('')
    checkAddress(uri)
  } catch {
    throw unsendable('An address cannot be put between angle brackets')
  }
  const name = display === undefined || display === '' ? '' : `${quote(display)} `
  return `${name}<${uri}>${params === undefined ? '' : formatParams(params)}`
}
