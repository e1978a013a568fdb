import { escape, plainIn, unescape } from './escape.ts'
import { hostEnd, parseHost, parsePort } from './host.ts'
import type { Params } from './params.ts'
import { emptyParams, noParams } from './params.ts'
import { isDigitCode, malformed } from './scan.ts'
import { SipError } from './sip-error.ts'

export interface SipUri {
  scheme: 'sip' | 'sips' | 'tel'
  /** Unescaped. For tel: the number. */
  user: string | undefined
  password: string | undefined
  /** In lower case; IPv6 with its brackets. Empty for tel. */
  host: string
  port: number | undefined
  params: Params
  /** As written, after the question mark, decoded. */
  headers: Params
}

const parseScheme = (text: string): string => {
  const colon = text.indexOf(':')
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase()
  for (let i = 0; i < scheme.length; i++) {
    const code = scheme.charCodeAt(i)
    const letter = code >= 97 && code <= 122
    const later = i > 0 && (isDigitCode(code) || code === 43 || code === 45 || code === 46)
    if (!letter && !later) throw malformed('A URI has no proper scheme')
  }
  if (scheme === '') throw malformed('A URI has no scheme')
  return scheme
}

/** No URI has these unescaped; anything else that is odd is left to the reader of that part. */
const checkUriCharacters = (text: string): void => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= 32 || code === 34 || code === 60 || code === 62 || code === 127)
      throw malformed('A URI has a character that it cannot have')
  }
}

/** `name=value` pairs with a separator between them, names in lower case. When a name is there twice the first one counts. */
const parsePairs = (text: string, separator: string): Params => {
  const pairs = emptyParams()
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf(separator, start)
    const end = found < 0 ? text.length : found
    const pair = text.slice(start, end)
    const equals = pair.indexOf('=')
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals)).toLowerCase()
    if (name === '') throw malformed('A URI parameter has no name')
    pairs[name] ??= equals < 0 ? '' : unescape(pair.slice(equals + 1))
    start = end + 1
  }
  return pairs
}

const parseUserInfo = (text: string): Pick<SipUri, 'user' | 'password'> => {
  const colon = text.indexOf(':')
  const user = colon < 0 ? text : text.slice(0, colon)
  if (user === '') throw malformed('A URI has an empty user')
  return { user: unescape(user), password: colon < 0 ? undefined : unescape(text.slice(colon + 1)) }
}

const parseSip = (scheme: 'sip' | 'sips', text: string): SipUri => {
  const at = text.indexOf('@')
  const { user, password } = at < 0 ? { user: undefined, password: undefined } : parseUserInfo(text.slice(0, at))
  const end = hostEnd(text, at + 1)
  const host = parseHost(text.slice(at + 1, end))
  const question = text.indexOf('?', end)
  const headers = question < 0 ? noParams : parsePairs(text.slice(question + 1), '&')
  const rest = question < 0 ? text.slice(end) : text.slice(end, question)
  if (rest === '') return { scheme, user, password, host, port: undefined, params: noParams, headers }
  // A second @ can only be in the headers: many phones write the Call-ID of Replaces without escaping it.
  if (rest.includes('@')) throw malformed('A URI has two @')
  const semicolon = rest.indexOf(';')
  const portText = semicolon < 0 ? rest : rest.slice(0, semicolon)
  if (portText !== '' && !portText.startsWith(':')) throw malformed('A URI has a host that it cannot have')
  const port = portText === '' ? undefined : parsePort(portText.slice(1))
  return { scheme, user, password, host, port, params: semicolon < 0 ? noParams : parsePairs(rest.slice(semicolon + 1), ';'), headers }
}

/** RFC 3966: digits with optional visual separators, which do not count. */
const parseTelNumber = (text: string): string => {
  let number = ''
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if ('-.()'.includes(char)) continue
    if (!'0123456789ABCDEFabcdef*#'.includes(char) && !(char === '+' && i === 0)) throw malformed('A telephone number has an odd character')
    number += char
  }
  if (number === '' || number === '+') throw malformed('A telephone number is empty')
  return number
}

const parseTel = (text: string): SipUri => {
  const semicolon = text.indexOf(';')
  const number = parseTelNumber(semicolon < 0 ? text : text.slice(0, semicolon))
  const params = semicolon < 0 ? noParams : parsePairs(text.slice(semicolon + 1), ';')
  return { scheme: 'tel', user: number, password: undefined, host: '', port: undefined, params, headers: noParams }
}

/** Throws SipError: 416 for a scheme we do not speak, 400 for nonsense. */
export const parseUri = (text: string): SipUri => {
  checkUriCharacters(text)
  const scheme = parseScheme(text)
  const rest = text.slice(scheme.length + 1)
  if (scheme === 'sip' || scheme === 'sips') return parseSip(scheme, rest)
  if (scheme === 'tel') return parseTel(rest)
  throw new SipError(416, 'We speak sip, sips and tel')
}

const formatPairs = (pairs: Params, plain: Uint8Array, lead: string, separator: string): string => {
  let text = ''
  for (const name of Object.keys(pairs)) {
    const value = pairs[name] ?? ''
    text += `${text === '' ? lead : separator}${escape(name, plain)}${value === '' ? '' : `=${escape(value, plain)}`}`
  }
  return text
}

export const formatUri = (uri: SipUri): string => {
  const params = formatPairs(uri.params, plainIn.param, ';', ';')
  if (uri.scheme === 'tel') return `tel:${uri.user ?? ''}${params}`
  const password = uri.password === undefined ? '' : `:${escape(uri.password, plainIn.password)}`
  const user = uri.user === undefined ? '' : `${escape(uri.user, plainIn.user)}${password}@`
  const port = uri.port === undefined ? '' : `:${uri.port}`
  return `${uri.scheme}:${user}${uri.host}${port}${params}${formatPairs(uri.headers, plainIn.header, '?', '&')}`
}

/** A new URI with everything empty that is not given. */
export const makeUri = (parts: Partial<SipUri> & Pick<SipUri, 'host'>): SipUri => ({
  scheme: 'sip',
  user: undefined,
  password: undefined,
  port: undefined,
  params: noParams,
  headers: noParams,
  ...parts,
})
