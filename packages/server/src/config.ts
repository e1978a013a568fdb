import { resolve } from 'node:path'
import { addressRules } from './adapters/address-rules.ts'

interface Setting<T> {
  default: string
  description: string
  read: (text: string) => T
}

const setting = <T>(fallback: string, description: string, read: (text: string) => T): Setting<T> => ({
  default: fallback,
  description,
  read,
})

const optional = (value: string): string | undefined => (value === '' ? undefined : value)

/** Without a slash at the end, so that paths can follow. */
const baseUrl = (value: string): string | undefined => {
  if (value !== '' && !/^https?:\/\/[^/?#]+(\/[^?#]*)?$/.test(value)) throw new Error('must be an http or https address')
  return optional(value.replace(/\/+$/, ''))
}

const egressList = (value: string): string[] => {
  const exceptions = value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  addressRules(exceptions) // complains about what it cannot read
  return exceptions
}

const onOff = (value: string): boolean => {
  if (value !== 'on' && value !== 'off') throw new Error('must be on or off')
  return value === 'on'
}

const oneOf =
  <const V extends string>(...values: V[]) =>
  (value: string): V => {
    if (!(values as string[]).includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value as V
  }

const matching =
  (pattern: RegExp, wanted: string) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`must be ${wanted}`)
    return value
  }

const optionally =
  (read: (value: string) => string) =>
  (value: string): string | undefined =>
    value === '' ? undefined : read(value)

const wholeNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new Error('must be a whole number')
  return Number(value)
}

const postgresUrl = optionally(matching(/^postgres(ql)?:\/\//, 'an address that begins with postgres://'))

export interface Address {
  host: string
  port: number
}

const address = (value: string): Address => {
  const match = /^(.+):(\d{1,5})$/.exec(value)
  const port = Number(match?.[2])
  if (!match?.[1] || port > 65_535) throw new Error('must be host:port')
  return { host: match[1].replace(/^\[(.*)\]$/, '$1'), port }
}

/** Every setting there is. Each has a default that works on a laptop; `docs/settings.md` and `serve --help` come from here. */
export const settingsSchema = {
  OFFHOOK_HTTP: setting('127.0.0.1:8080', 'Address of the REST interface and the console. Port 0 picks a free one.', address),
  OFFHOOK_SIP: setting('127.0.0.1:5060', 'Address that phones and trunks are told to use.', address),
  OFFHOOK_DATA: setting('./data', 'Folder for the database, the secret key, mails and recordings.', (value) => resolve(value)),
  OFFHOOK_PUBLIC_URL: setting('', 'How clients reach the REST interface, for example behind a proxy. Default: from OFFHOOK_HTTP.', baseUrl),
  OFFHOOK_PUBLIC_ADDRESS: setting('', 'Host name or address that phones are told. Default: the host of OFFHOOK_SIP.', optional),
  OFFHOOK_TRUST_PROXY: setting(
    'off',
    'on: take the client address from the last entry of X-Forwarded-For. Only behind one proxy that sets or extends it.',
    onOff,
  ),
  OFFHOOK_DEMO: setting('on', 'on: the first start creates a demo account. off: only the operator.', onOff),
  OFFHOOK_COUNTRY: setting(
    'DE',
    'Country of new accounts, for reading national phone numbers.',
    matching(/^[A-Z]{2}$/, 'a country code such as DE'),
  ),
  OFFHOOK_CURRENCY: setting('EUR', 'Currency of new accounts.', matching(/^[A-Z]{3}$/, 'a currency code such as EUR')),
  OFFHOOK_CARRIER_CODE: setting(
    'OFFH',
    'Our code towards other carriers when numbers are ported.',
    matching(/^[A-Z0-9]{2,12}$/, '2 to 12 capital letters or digits'),
  ),
  OFFHOOK_SECRET_KEY: setting(
    '',
    'Base64 of 32 bytes that seal secrets in the database. Default: made once and kept in the data folder.',
    optionally(matching(/^\s*[\w+/-]{43}=?\s*$/, '32 bytes in base64')),
  ),
  OFFHOOK_PASSWORD_GRANT: setting('on', 'on: user name and password are accepted at the token endpoint of the identity provider.', onOff),
  OFFHOOK_RATE_LIMIT: setting('100', 'Requests per second for each token, bursts of ten times that. 0: no limit.', wholeNumber),
  OFFHOOK_EGRESS_ALLOW: setting(
    '',
    'What we may call besides public addresses: name, address or network (10.0.0.0/8), each also with :port, separated by commas. A name is allowed wherever it points. IPv6 with a port: [fd00::/8]:443.',
    egressList,
  ),
  OFFHOOK_SMTP_URL: setting(
    '',
    'Mail server, for example smtps://user:password@mail.example. Default: mails become files in the data folder.',
    optionally(matching(/^smtps?:\/\/[^/]/i, 'an address that begins with smtp:// or smtps://')),
  ),
  OFFHOOK_MAIL_FROM: setting(
    'Offhook <offhook@localhost>',
    'Sender of our mails.',
    matching(/^\P{Cc}+@\P{Cc}+$/u, 'a mail address, with or without a name'),
  ),
  OFFHOOK_LOG: setting('info', 'How much is logged: fatal, error, warn, info or debug.', oneOf('fatal', 'error', 'warn', 'info', 'debug')),
  DATABASE_URL: setting('', 'PostgreSQL, for example postgres://user@host/offhook. Default: SQLite in the data folder.', postgresUrl),
}

type Schema = typeof settingsSchema
export type Settings = { [Name in keyof Schema]: ReturnType<Schema[Name]['read']> }

/** Reads all settings; complains about everything that is wrong at once, by name. */
export const readSettings = (environment: Record<string, string | undefined>): Settings => {
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [name, { default: fallback, read }] of Object.entries(settingsSchema)) {
    try {
      settings[name] = read(environment[name] ?? fallback)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return settings as Settings
}

/** Names that look like ours but mean nothing: probably misspelt. */
export const unknownSettings = (environment: Record<string, string | undefined>): string[] =>
  Object.keys(environment).filter((name) => name.startsWith('OFFHOOK_') && !(name in settingsSchema))
