import { isToken, malformed } from '../grammar/scan.ts'

export interface HeaderName {
  /** Long form, lower case. */
  readonly name: string
  /** A bit of its own when a message may have it only once, else 0. */
  readonly single: number
}

const singles = [
  'call-id',
  'from',
  'to',
  'cseq',
  'max-forwards',
  'content-length',
  'content-type',
  'content-disposition',
  'expires',
  'min-expires',
  'session-expires',
  'min-se',
  'refer-to',
  'referred-by',
  'replaces',
  'event',
  'subscription-state',
  'rseq',
  'rack',
  'date',
  'retry-after',
]

const compact: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
}

const entries = new Map<string, HeaderName>(singles.map((name, bit) => [name, { name, single: 1 << bit }]))
/** As they were written, so that the usual ones cost one look-up. Strangers may fill it, but not beyond this. */
const spellings = new Map<string, HeaderName>()
const maxSpellings = 1_000

const entryOf = (spelling: string): HeaderName => {
  if (!isToken(spelling)) throw malformed('A header name is not a token')
  const lower = spelling.toLowerCase()
  const name = (lower.length === 1 ? compact[lower] : undefined) ?? lower
  return entries.get(name) ?? { name, single: 0 }
}

/** Any case, short or long. Throws SipError(400) when it is no name. */
export const headerName = (spelling: string): HeaderName => {
  const known = spellings.get(spelling)
  if (known !== undefined) return known
  const entry = entryOf(spelling)
  // A slice of the message would keep all of it in memory.
  if (spellings.size < maxSpellings) spellings.set(Buffer.from(spelling).toString(), entry)
  return entry
}
