import { Problem } from '@offhook/contract/problem.ts'
import ipaddr from 'ipaddr.js'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate.ts'

type TrunkInput = Pick<TrunkSettings, 'host'> & Partial<TrunkSettings>

/** Fills in defaults. Rejects settings that cannot work or that would accept calls from everywhere. */
export const trunkSettings = (input: TrunkInput, { hasPassword }: { hasPassword: boolean }): TrunkSettings => {
  const transport = input.transport ?? 'UDP'
  const settings: TrunkSettings = {
    host: checkedHost('host', input.host),
    port: input.port ?? (transport === 'TLS' ? 5061 : 5060),
    transport,
    outboundProxy: checkedProxy('outboundProxy', input.outboundProxy ?? ''),
    username: headerSafe('username', input.username ?? ''),
    realm: headerSafe('realm', input.realm ?? ''),
    register: input.register ?? false,
    registerSeconds: input.registerSeconds ?? 600,
    sourceAddresses: (input.sourceAddresses ?? []).map((text, index) => checkedNetwork(`sourceAddresses/${index}`, text)),
    mediaAddresses: (input.mediaAddresses ?? []).map((text, index) => checkedNetwork(`mediaAddresses/${index}`, text)),
    numberFormat: input.numberFormat ?? 'PLUS',
    defaultNumber: checkedNumber('defaultNumber', input.defaultNumber ?? ''),
    codecs: input.codecs ?? ['PCMA', 'PCMU'],
    maxCalls: input.maxCalls ?? 10,
    strictMaxCalls: input.strictMaxCalls ?? false,
    callsPerSecond: input.callsPerSecond ?? 1,
    emergencyLocation: input.emergencyLocation ?? false,
    priority: input.priority ?? 100,
  }
  if (hasPassword && settings.username === '') throw Problem.field('username', 'is required with a password')
  if (settings.register && settings.username === '') throw Problem.field('username', 'is required to register')
  if (settings.register && !hasPassword) throw Problem.field('password', 'is required to register')
  return settings
}

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

const checkedHost = (field: string, host: string): string => {
  // A host made of digits and dots is an address, or a mistyped one.
  const looksNumeric = /^[\d.]+$/.test(host) || host.includes(':')
  if (looksNumeric ? !isAddress(host) : !hostName.test(host))
    throw Problem.field(field, 'must be a host name or an IP address, without a port')
  return host.toLowerCase()
}

const checkedProxy = (field: string, text: string): string => {
  if (text === '') return text
  const match = /^(\[[0-9a-f:.]+\]|[^:;]+)(?::(\d{1,5}))?(?:;transport=(?:udp|tcp|tls))?$/i.exec(text)
  if (!match?.[1] || Number(match[2] ?? 5060) > 65_535 || Number(match[2] ?? 5060) === 0)
    throw Problem.field(field, 'must be a host, with :port and ;transport=tcp or tls where needed')
  checkedHost(field, match[1].replace(/^\[(.*)\]$/, '$1'))
  return text.toLowerCase()
}

const checkedNetwork = (field: string, text: string): string => {
  const [address = '', length] = text.split('/')
  const bits = ipaddr.IPv4.isValidFourPartDecimal(address) ? 32 : 128
  const valid = isAddress(address) && (length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits))
  if (!valid || text.split('/').length > 2) throw Problem.field(field, 'must be an IP address or a network such as 192.0.2.0/24')
  if (length !== undefined && Number(length) === 0) throw Problem.field(field, 'would trust every address there is')
  return text.toLowerCase()
}

/** Requires the country code, because a trunk has no country. */
const checkedNumber = (field: string, text: string): string => {
  const number = text === '' ? '' : parseNumber(text, '')?.e164
  if (number === undefined) throw Problem.field(field, 'must be a phone number with its country code, such as +4930123456')
  return number
}

/** Accepts only the usual notation: no octal parts, no omitted parts, no zones. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && text.includes(':') && !text.includes('%'))

/** These values are put into SIP headers, where a quote or a line break would be an injection. */
const headerSafe = (field: string, text: string): string => {
  if (/[^\x21-\x7e]|["<>\\]/.test(text))
    throw Problem.field(field, 'must consist of visible ASCII characters without quotes and angle brackets')
  return text
}
