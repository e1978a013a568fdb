/** Invalid input from a peer; `status` is the response to send. */
export class SipError extends Error {
  readonly status: number

  constructor(status: number, why: string) {
    // Unknown sources cause these by the thousand, and the stack is useless: none is collected.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(why)
    Error.stackTraceLimit = limit
    this.name = 'SipError'
    this.status = status
  }
}

/** Treats a parse error as absent: for optional headers, and for responses, which cannot be rejected. */
export const leniently = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof SipError) return undefined
    throw error
  }
}

const TOKEN = 1
const HOST = 2
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const classes = new Uint8Array(256)
for (const char of `${ALPHANUMERIC}-.!%*_+\`'~`) classes[char.charCodeAt(0)]! |= TOKEN
/** Underscores are invalid in host names, but common in Via. */
for (const char of `${ALPHANUMERIC}-._`) classes[char.charCodeAt(0)]! |= HOST

export const isTokenCode = (code: number): boolean => code < 256 && (classes[code]! & TOKEN) !== 0
export const isHostCode = (code: number): boolean => code < 256 && (classes[code]! & HOST) !== 0
/** Folded lines are joined first, so these two suffice. */
export const isBlankCode = (code: number): boolean => code === 32 || code === 9
export const isDigitCode = (code: number): boolean => code >= 48 && code <= 57

export const malformed = (why: string): SipError => new SipError(400, why)

/** An invalid outgoing value: our bug, or a value that should have been rejected earlier. */
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

/** The index of the closing quote of the string that begins at `from`. */
export const closingQuote = (text: string, from: number): number => {
  for (let i = from + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) return i
    if (code === 92) i++
  }
  throw malformed('A quoted string has no end')
}

/** The text between the quotes, without backslashes. */
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

/** Line breaks are invalid in a quoted string and cannot be escaped: they become blanks. */
export const quote = (text: string): string => {
  let quoted = '"'
  for (const char of text) {
    if (char === '"' || char === '\\') quoted += `\\${char}`
    else quoted += char === '\r' || char === '\n' || char === '\0' ? ' ' : char
  }
  return `${quoted}"`
}

/** Digits only, at most `max`; undefined otherwise. Leading zeros are allowed. */
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

/** Appends the elements of a comma-separated line, without empty ones. */
export const splitList = (text: string, into: string[]): void => {
  for (let from = 0; from <= text.length;) {
    const end = text.includes(',', from) ? elementEnd(text, from) : text.length
    const element = text.slice(from, end).trim()
    if (element !== '') into.push(element)
    from = end + 1
  }
}

/** Limits per message. Larger ones are rejected before they are parsed. */
export const limits = {
  datagramBytes: 16 * 1024,
  streamBytes: 64 * 1024,
  headers: 128,
  /** Name and value of one header, including its continuation lines. */
  headerLength: 8 * 1024,
  vias: 32,
  sdpBytes: 16 * 1024,
  mediaLines: 10,
} as const

/** Names in lower case; a parameter without a value is an empty string. No prototype. */
export type Params = Readonly<Record<string, string>>

/**
 * An object without inherited names: a peer's `constructor` or `__proto__` is an ordinary parameter. Uses `new` instead of
 * `Object.create(null)`, because that is several times faster.
 */
const Bag = function Bag() {} as unknown as new () => Record<string, string>
Bag.prototype = Object.create(null) as object

export const emptyParams = (): Record<string, string> => new Bag()

export const noParams: Params = Object.freeze(emptyParams())

/** A parameter value outside quotes: tokens, hosts, IPv6 addresses with and without brackets. */
const valueEnd = (text: string, from: number): number => {
  let i = from
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 59 || code === 32 || code === 9) break
    if (code === 44 || code === 34 || code === 60 || code === 62) throw malformed('A parameter value has a character that needs quotes')
  }
  return i
}

/** Parses from `from` to the end: `;name=value ; name="value" ;name`. The first of repeated names counts. */
export const parseParams = (text: string, from: number): Params => {
  let i = skipBlanks(text, from)
  if (i === text.length) return noParams
  const params = emptyParams()
  while (i < text.length) {
    if (text.charCodeAt(i) !== 59) throw malformed('Parameters are not separated by semicolons')
    const nameStart = skipBlanks(text, i + 1)
    const nameEnd = skipToken(text, nameStart)
    if (nameEnd === nameStart) throw malformed('A parameter has no name')
    const name = text.slice(nameStart, nameEnd).toLowerCase()
    let value = ''
    i = skipBlanks(text, nameEnd)
    if (text.charCodeAt(i) === 61) {
      const start = skipBlanks(text, i + 1)
      const quoted = text.charCodeAt(start) === 34
      const end = quoted ? closingQuote(text, start) : valueEnd(text, start)
      value = quoted ? unquote(text, start, end) : text.slice(start, end)
      i = skipBlanks(text, quoted ? end + 1 : end)
    }
    params[name] ??= value
  }
  return params
}

/** IPv6 addresses and similar values need no quotes. */
const isPlainValue = (value: string): boolean => {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    const addressPart = code === 58 || code === 91 || code === 93
    if (!addressPart && !isTokenCode(code)) return false
  }
  return true
}

export const formatParams = (params: Readonly<Record<string, string | undefined>>): string => {
  let text = ''
  for (const name in params) {
    const value = params[name]
    if (value === undefined) continue
    if (!isToken(name)) throw unsendable('A parameter name is not a token')
    text += value === '' ? `;${name}` : `;${name}=${isPlainValue(value) ? value : quote(value)}`
  }
  return text
}
