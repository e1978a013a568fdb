import { type Params, emptyParams, noParams, isDigitCode, malformed, isHostCode, readNumber, SipError } from './scan.ts'
import { isUtf8 } from 'node:buffer'
import { isIPv6 } from 'node:net'

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

/** Never valid unescaped in a URI; everything else is checked by the parser of its part. */
const checkUriCharacters = (text: string): void => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= 32 || code === 34 || code === 60 || code === 62 || code === 127)
      throw malformed('A URI has a character that it cannot have')
  }
}

/** `name=value` pairs with a separator between them, names in lower case. The first of repeated names counts. */
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

/** RFC 3966: digits with optional visual separators, which are ignored. */
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

/** Throws SipError: 416 for an unsupported scheme, 400 for malformed input. */
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

/** A new URI; missing parts are empty. */
export const makeUri = (parts: Partial<SipUri> & Pick<SipUri, 'host'>): SipUri => ({
  scheme: 'sip',
  user: undefined,
  password: undefined,
  port: undefined,
  params: noParams,
  headers: noParams,
  ...parts,
})

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"

const allowing = (more: string): Uint8Array => {
  const allowed = new Uint8Array(128)
  for (const char of unreserved + more) allowed[char.charCodeAt(0)] = 1
  return allowed
}

/** Unescaped characters in each part of a URI, RFC 3261 §25.1. */
const plainIn = {
  user: allowing('&=+$,;?/'),
  password: allowing('&=+$,'),
  param: allowing('[]/:&+$'),
  header: allowing('[]/?:+$'),
} as const

const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** Decodes %41 escapes once. The result must be UTF-8. */
const unescape = (text: string): string => {
  if (!text.includes('%')) return text
  const encoded = Buffer.from(text)
  let length = 0
  for (let i = 0; i < encoded.length; i++) {
    let byte = encoded[i]!
    if (byte === 37) {
      const high = hexDigit(encoded[i + 1] ?? 0)
      const low = hexDigit(encoded[i + 2] ?? 0)
      if (high < 0 || low < 0) throw malformed('A percent sign is not followed by two hexadecimal digits')
      byte = high * 16 + low
      i += 2
    }
    encoded[length++] = byte
  }
  const plain = encoded.subarray(0, length)
  if (!isUtf8(plain)) throw malformed('An escaped text is not UTF-8')
  return plain.toString()
}

const isPlain = (text: string, plain: Uint8Array): boolean => {
  for (let i = 0; i < text.length; i++) if (plain[text.charCodeAt(i)] !== 1) return false
  return true
}

const escape = (text: string, plain: Uint8Array): string => {
  if (isPlain(text, plain)) return text
  let escaped = ''
  for (const byte of Buffer.from(text)) {
    escaped += plain[byte] === 1 ? String.fromCharCode(byte) : `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`
  }
  return escaped
}

/** These matter even if only one of the two has them. */
const decisive = ['user', 'ttl', 'method', 'maddr']

const sameIgnoringCase = (a: string | undefined, b: string | undefined): boolean => a?.toLowerCase() === b?.toLowerCase()

const sameSipParams = (a: Params, b: Params): boolean =>
  decisive.every((name) => sameIgnoringCase(a[name], b[name])) &&
  Object.keys(a).every((name) => b[name] === undefined || sameIgnoringCase(a[name], b[name]))

const sameInAll = (a: Params, b: Params): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((name) => sameIgnoringCase(a[name], b[name]))

/** URI comparison of RFC 3261 §19.1.4; for tel RFC 3966 §4. */
export const sameUri = (a: SipUri, b: SipUri): boolean => {
  if (a.scheme !== b.scheme) return false
  if (a.scheme === 'tel') return sameIgnoringCase(a.user, b.user) && sameInAll(a.params, b.params)
  const sameAddress = a.user === b.user && a.password === b.password && a.host.toLowerCase() === b.host.toLowerCase() && a.port === b.port
  return sameAddress && sameSipParams(a.params, b.params) && sameInAll(a.headers, b.headers)
}

/** The bracketed reference in lower case. Three colons are an old grammar mistake (RFC 5118 §4.10) and mean two. */
const parseIpv6 = (text: string): string => {
  const address = text.slice(1, -1).toLowerCase().replace(':::', '::')
  if (address.includes('%') || !isIPv6(address)) throw malformed('Not an IPv6 address')
  return `[${address}]`
}

/** A host name, an IPv4 address or an IPv6 address in brackets; in lower case. */
export const parseHost = (text: string): string => {
  if (text.charCodeAt(0) === 91) return parseIpv6(text)
  if (text === '') throw malformed('A host is missing')
  for (let i = 0; i < text.length; i++) if (!isHostCode(text.charCodeAt(i))) throw malformed('A host has a character that it cannot have')
  return text.toLowerCase()
}

export const parsePort = (text: string): number => {
  const port = readNumber(text, 65_535)
  if (port === undefined || port === 0) throw malformed('A port is not a number from 1 to 65535')
  return port
}

/** The index after the host that begins at `from`; a port, a parameter or the end follows. */
export const hostEnd = (text: string, from: number): number => {
  if (text.charCodeAt(from) === 91) {
    const close = text.indexOf(']', from)
    if (close < 0) throw malformed('An IPv6 address has no closing bracket')
    return close + 1
  }
  let i = from
  while (isHostCode(text.charCodeAt(i))) i++
  return i
}

/** For sockets and comparisons: an IPv6 address without its brackets. */
export const bareHost = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)

/** For URIs and Via: an IPv6 address with brackets. */
export const bracketed = (address: string): string => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)
