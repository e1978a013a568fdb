import { SipError } from './sip-error.ts'

const TOKEN = 1
const HOST = 2
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const classes = new Uint8Array(256)
for (const char of `${ALPHANUMERIC}-.!%*_+\`'~`) classes[char.charCodeAt(0)]! |= TOKEN
/** The underscore is no host name character, yet it is used in Via by many. */
for (const char of `${ALPHANUMERIC}-._`) classes[char.charCodeAt(0)]! |= HOST

export const isTokenCode = (code: number): boolean => code < 256 && (classes[code]! & TOKEN) !== 0
export const isHostCode = (code: number): boolean => code < 256 && (classes[code]! & HOST) !== 0
/** Folded lines are joined first, so these two are all. */
export const isBlankCode = (code: number): boolean => code === 32 || code === 9
export const isDigitCode = (code: number): boolean => code >= 48 && code <= 57

export const malformed = (why: string): SipError => new SipError(400, why)

/** What we were about to send is not right: our own fault, or a value that should have been refused earlier. */
export const unsendable = (why: string): SipError => {
  const error = new SipError(500, why)
  Error.captureStackTrace(error, unsendable)
  return error
}

export const skipBlanks = (text: string, from: number): number => {
  let i = from
  while (isBlankCode(text.charCodeAt(i))) i++
  return i
}

export const skipToken = (text: string, from: number): number => {
  let i = from
  while (isTokenCode(text.charCodeAt(i))) i++
  return i
}

export const isToken = (text: string): boolean => text !== '' && skipToken(text, 0) === text.length

/** Where the quoted string that begins at `from` ends: the index of the closing quote. */
export const closingQuote = (text: string, from: number): number => {
  for (let i = from + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) return i
    if (code === 92) i++
  }
  throw malformed('A quoted string has no end')
}

/** What is between the quotes, without the backslashes. */
export const unquote = (text: string, open: number, close: number): string => {
  const inner = text.slice(open + 1, close)
  let backslash = inner.indexOf('\\')
  if (backslash < 0) return inner
  let plain = ''
  let from = 0
  while (backslash >= 0) {
    plain += inner.slice(from, backslash) + inner.charAt(backslash + 1)
    from = backslash + 2
    backslash = inner.indexOf('\\', from)
  }
  return plain + inner.slice(from)
}

/** Line breaks have no place in a quoted string and cannot be escaped: they become blanks. */
export const quote = (text: string): string => {
  let quoted = '"'
  for (const char of text) {
    if (char === '"' || char === '\\') quoted += `\\${char}`
    else quoted += char === '\r' || char === '\n' || char === '\0' ? ' ' : char
  }
  return `${quoted}"`
}

/** Digits only, at most `max`; undefined when it is anything else. Leading zeros do not count. */
export const readNumber = (text: string, max: number): number | undefined => {
  let value = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    value = value * 10 + code - 48
    if (!isDigitCode(code) || value > max) return undefined
  }
  return text === '' ? undefined : value
}

export const parseNumber = (text: string, max: number, what: string): number => {
  const value = readNumber(text, max)
  if (value === undefined) throw malformed(`${what} is not a number up to ${max}`)
  return value
}

/** The index of the first comma outside quotes and angle brackets, or the end. */
export const elementEnd = (text: string, from: number): number => {
  let bracketed = false
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) i = closingQuote(text, i)
    else if (code === 60) bracketed = true
    else if (code === 62) bracketed = false
    else if (code === 44 && !bracketed) return i
  }
  return text.length
}

/** Appends the elements of a comma-separated line; empty ones are left out. */
export const splitList = (text: string, into: string[]): void => {
  for (let from = 0; from <= text.length;) {
    const end = text.includes(',', from) ? elementEnd(text, from) : text.length
    const element = text.slice(from, end).trim()
    if (element !== '') into.push(element)
    from = end + 1
  }
}
