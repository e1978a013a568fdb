import { hash } from 'node:crypto'
import {
  type Params,
  emptyParams,
  closingQuote,
  isToken,
  malformed,
  quote,
  skipBlanks,
  skipToken,
  unquote,
  unsendable,
} from '../grammar/scan.ts'

/** RFC 8760: from weak to strong. */
export const digestAlgorithms = ['MD5', 'SHA-256', 'SHA-512-256'] as const
export type DigestAlgorithm = (typeof digestAlgorithms)[number]

const hashNames: Readonly<Record<DigestAlgorithm, string>> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' }

const digest = (algorithm: DigestAlgorithm, text: string): string => hash(hashNames[algorithm], text, 'hex')

/** The named algorithm if supported. Default: MD5. */
export const readAlgorithm = (name: string | undefined): { algorithm: DigestAlgorithm; session: boolean } | undefined => {
  const upper = (name ?? 'MD5').toUpperCase()
  const session = upper.endsWith('-SESS')
  const algorithm = digestAlgorithms.find((each) => each === (session ? upper.slice(0, -5) : upper))
  return algorithm === undefined ? undefined : { algorithm, session }
}

/** HA1: a server may store it instead of the password; valid for this realm only. */
export const digestHa1 = (algorithm: DigestAlgorithm, username: string, realm: string, password: string): string =>
  digest(algorithm, `${username}:${realm}:${password}`)

interface DigestParts {
  algorithm: DigestAlgorithm
  /** A `-sess` algorithm. */
  session: boolean
  ha1: string
  method: string
  uri: string
  nonce: string
  /** Undefined: without qop, as before RFC 2617. */
  nc: string | undefined
  cnonce: string
}

/** RFC 7616 §3.4.1, with qop=auth. */
export const digestResponse = (deps: DigestParts): string => {
  const { algorithm, nonce, nc, cnonce } = deps
  const ha1 = deps.session ? digest(algorithm, `${deps.ha1}:${nonce}:${cnonce}`) : deps.ha1
  const ha2 = digest(algorithm, `${deps.method}:${deps.uri}`)
  return digest(algorithm, nc === undefined ? `${ha1}:${nonce}:${ha2}` : `${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`)
}

/** `Digest realm="a", nonce="b"`: the value of (Proxy-)Authorization, (Proxy-)Authenticate and Authentication-Info. */
interface AuthHeader {
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

/** One line holds one challenge or one set of credentials; schemes other than Digest parse the same way. */
export const parseAuthHeader = (text: string): AuthHeader => {
  const start = skipBlanks(text, 0)
  const end = skipToken(text, start)
  if (end === start) throw malformed('Authentication has no scheme')
  return { scheme: text.slice(start, end).toLowerCase(), params: parseAuthParams(text, end) }
}

/** `quoted` names the parameters whose values are quoted. */
export const formatAuthParams = (params: Readonly<Record<string, string | undefined>>, quoted: ReadonlySet<string>): string => {
  const parts: string[] = []
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue
    if (!quoted.has(name) && !isToken(value)) throw unsendable('An authentication parameter is not a token')
    parts.push(`${name}=${quoted.has(name) ? quote(value) : value}`)
  }
  return parts.join(', ')
}
