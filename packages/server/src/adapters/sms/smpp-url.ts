/** The message centre's address, our login there, and its conventions. */
export interface SmppAccount {
  host: string
  port: number
  secure: boolean
  systemId: string
  password: string
  systemType: string
  /** Maximum unacknowledged messages. */
  window: number
  /** Maximum messages per second. */
  rate: number | undefined
  /** Notation of ids in responses and in receipts. */
  ids: IdNotation
  /** Type and plan of the recipient's number (SMPP TON and NPI). */
  ton: number
  npi: number
}

export type IdNotation = 'same' | 'hex-decimal' | 'decimal-hex'

const defaultPorts = { 'smpp:': 2775, 'smpps:': 3550 }
const names = ['window', 'rate', 'ids', 'ton', 'npi', 'type']

/** `smpp://user:password@host:port?window=10&rate=50&ids=same&ton=1&npi=1&type=`; `smpps` for TLS. Throws on invalid parts. */
export const readSmppUrl = (text: string): SmppAccount => {
  const url = parse(text)
  const options = url.searchParams
  const unknown = [...options.keys()].find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`has the unknown option ${unknown}; there are ${names.join(', ')}`)
  const protocol = url.protocol as keyof typeof defaultPorts
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? defaultPorts[protocol] : Number(url.port),
    secure: protocol === 'smpps:',
    systemId: fitting('user name', decodeURIComponent(url.username), 15),
    password: fitting('password', decodeURIComponent(url.password), 8),
    systemType: fitting('option type', options.get('type') ?? '', 12),
    window: numberIn('window', options.get('window') ?? '10', 1, 1000),
    rate: options.has('rate') ? numberIn('rate', options.get('rate') ?? '', 1, 9999) : undefined,
    ids: notation(options.get('ids') ?? 'same'),
    ton: numberIn('ton', options.get('ton') ?? '1', 0, 6),
    npi: numberIn('npi', options.get('npi') ?? '1', 0, 18),
  }
}

const parse = (text: string): URL => {
  const url = URL.canParse(text) && isEscaped(text) ? new URL(text) : undefined
  if (!url || !(url.protocol in defaultPorts) || url.hostname === '' || url.username === '' || !/^\/?$/.test(url.pathname))
    throw new Error('must be an address such as smpp://user:password@host:2775 (in a password: %23 for #, %40 for @, %25 for %)')
  return url
}

/** Every percent sign begins the code of a character. */
export const isEscaped = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text)

/** SMPP has fields of a fixed length, with a NUL at their end. */
const fitting = (what: string, value: string, maxLength: number): string => {
  if (value.length > maxLength || !/^[\x20-\x7e]*$/.test(value))
    throw new Error(`has a ${what} that SMPP cannot carry: at most ${maxLength} characters of ASCII`)
  return value
}

const numberIn = (name: string, value: string, min: number, max: number): number => {
  const number = /^\d{1,4}$/.test(value) ? Number(value) : NaN
  if (!(number >= min && number <= max)) throw new Error(`has the option ${name}, which must be a number from ${min} to ${max}`)
  return number
}

const notation = (value: string): IdNotation => {
  if (value !== 'same' && value !== 'hex-decimal' && value !== 'decimal-hex')
    throw new Error('has the option ids, which must be same, hex-decimal or decimal-hex')
  return value
}
