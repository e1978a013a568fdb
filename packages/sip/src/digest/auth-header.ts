import type { Params } from '../grammar/params.ts'
import { emptyParams } from '../grammar/params.ts'
import { closingQuote, isToken, malformed, quote, skipBlanks, skipToken, unquote, unsendable } from '../grammar/scan.ts'

/** `Digest realm="a", nonce="b"`: the value of (Proxy-)Authorization, (Proxy-)Authenticate and Authentication-Info. */
export interface AuthHeader {
  /** In lower case; empty for Authentication-Info, which has none. */
  scheme: string
  /** Names in lower case, values without quotes. */
  params: Params
}

const valueEnd = (text: string, from: number): number => {
  let i = from
  while (i < text.length && text.charCodeAt(i) !== 44 && text.charCodeAt(i) > 32) i++
  return i
}

/** `name=value, name="value"` from `from` to the end. */
export const parseAuthParams = (text: string, from = 0): Params => {
  const params = emptyParams()
  let i = skipBlanks(text, from)
  while (i < text.length) {
    const nameEnd = skipToken(text, i)
    const equals = skipBlanks(text, nameEnd)
    if (nameEnd === i || text.charCodeAt(equals) !== 61) throw malformed('An authentication parameter is not a name and a value')
    const name = text.slice(i, nameEnd).toLowerCase()
    const start = skipBlanks(text, equals + 1)
    const quoted = text.charCodeAt(start) === 34
    const end = quoted ? closingQuote(text, start) : valueEnd(text, start)
    if (params[name] !== undefined) throw malformed('An authentication parameter is there twice')
    params[name] = quoted ? unquote(text, start, end) : text.slice(start, end)
    i = skipBlanks(text, quoted ? end + 1 : end)
    if (i === text.length) break
    if (text.charCodeAt(i) !== 44) throw malformed('Authentication parameters are not separated by commas')
    i = skipBlanks(text, i + 1)
  }
  return params
}

/** One line holds one challenge or one set of credentials; schemes that are not Digest are read alike. */
export const parseAuthHeader = (text: string): AuthHeader => {
  const start = skipBlanks(text, 0)
  const end = skipToken(text, start)
  if (end === start) throw malformed('Authentication has no scheme')
  return { scheme: text.slice(start, end).toLowerCase(), params: parseAuthParams(text, end) }
}

/** `quoted` names the parameters whose values go between quotes. */
export const formatAuthParams = (params: Readonly<Record<string, string | undefined>>, quoted: ReadonlySet<string>): string => {
  const parts: string[] = []
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue
    if (!quoted.has(name) && !isToken(value)) throw unsendable('An authentication parameter is not a token')
    parts.push(`${name}=${quoted.has(name) ? quote(value) : value}`)
  }
  return parts.join(', ')
}
