import type { Params } from './params.ts'
import { formatParams, parseParams } from './params.ts'
import { isToken, malformed, parseNumber, quote, splitList } from './scan.ts'

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

/** RFC 4028 §4. Min-SE reads the same; its refresher means nothing. */
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

/** RFC 3262 §7.2: the RSeq and CSeq of the response that it confirms. */
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

/** RFC 3891 §6.1. Tags as the receiver sees them: `toTag` is its own. */
export const parseReplaces = (text: string): Replaces => {
  const { value, params } = parseValue(text)
  const toTag = params['to-tag'] ?? ''
  const fromTag = params['from-tag'] ?? ''
  if (toTag === '' || fromTag === '') throw malformed('Replaces has no tags')
  return { callId: value, toTag, fromTag, earlyOnly: params['early-only'] !== undefined }
}

export const formatReplaces = ({ callId, toTag, fromTag, earlyOnly }: Replaces): string =>
  `${callId}${formatParams({ 'to-tag': toTag, 'from-tag': fromTag, 'early-only': earlyOnly ? '' : undefined })}`

/** RFC 3261 §20.33: seconds, perhaps a comment, perhaps parameters. */
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

/** RFC 3323: what of the caller shall not be shown, in lower case: `id`, `user`, `header`, `session`, `none`, `critical`. */
export const parsePrivacy = (text: string): string[] => {
  const values = text.split(/[;,]/).map((value) => value.trim().toLowerCase())
  return values.filter((value) => value !== '')
}

/** Supported, Require, Allow …: whether an element is there. Option tags are compared without case, methods are upper case anyway. */
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
