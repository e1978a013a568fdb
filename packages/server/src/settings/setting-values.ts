import { isIP } from 'node:net'
import { addressRules } from '#adapters/address-rules.ts'

/** Parsers of settings; error texts follow the setting's name. */
export const onOff = (value: string): boolean => {
  if (value !== 'on' && value !== 'off') throw new Error('must be on or off')
  return value === 'on'
}

export const oneOf =
  <const V extends string>(...values: V[]) =>
  (value: string): V => {
    if (!(values as string[]).includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value as V
  }

export const matching =
  (pattern: RegExp, wanted: string) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`must be ${wanted}`)
    return value
  }

export const optionally =
  <T>(read: (value: string) => T) =>
  (value: string): T | undefined =>
    value === '' ? undefined : read(value)

export const wholeNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new Error('must be a whole number')
  return Number(value)
}

export const between =
  (min: number, max: number) =>
  (value: string): number => {
    const number = wholeNumber(value)
    if (number < min || number > max) throw new Error(`must be a number from ${min} to ${max}`)
    return number
  }

/** 0 has a special meaning. */
export const zeroOr =
  (min: number, max: number) =>
  (value: string): number => {
    const number = wholeNumber(value)
    if (number !== 0 && (number < min || number > max)) throw new Error(`must be 0 or a number from ${min} to ${max}`)
    return number
  }

export const optional = (value: string): string | undefined => (value === '' ? undefined : value)

/** Without a trailing slash, so that paths can follow. */
export const baseUrl = (value: string): string | undefined => {
  if (value !== '' && !/^https?:\/\/[^/?#]+(\/[^?#]*)?$/.test(value)) throw new Error('must be an http or https address')
  return optional(value.replace(/\/+$/, ''))
}

const listed = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const egressList = (value: string): string[] => {
  const exceptions = listed(value)
  addressRules(exceptions) // throws for invalid entries
  return exceptions
}

export const origins = (value: string): string[] =>
  value === 'off'
    ? []
    : listed(value).map((origin) => {
        if (origin !== '*' && URL.parse(origin)?.origin !== origin)
          throw new Error(`must be off, * or origins such as https://app.example, not ${origin}`)
        return origin
      })

export const name = matching(/^[^\p{Cc}\s](?:[^\p{Cc}]{0,198}[^\p{Cc}\s])?$/u, 'a name')

export const region = matching(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and hyphens, at most 32')

/** Phones that send no audio in silence send an RTCP report every five seconds: a timeout below two reports would hang up on them. */
export const audioTimeout = zeroOr(20, 86_400)

export const bytes = (value: string): number => {
  if (!/^\d{1,15}$/.test(value)) throw new Error('must be a number of bytes')
  return Number(value)
}

/** Sent unchanged as a header: one line of visible characters. */
export const apiKey = (value: string): string | undefined =>
  optionally(matching(/^[\x21-\x7e]{1,500}$/, 'one word without spaces or line breaks'))(value.trim())

/** Keys separated by commas. */
export const keyList = (value: string): string[] => listed(value).map((key) => apiKey(key) ?? '')

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname)

/** Up to where /audio/speech follows. */
export const speechServers = (value: string): string[] =>
  listed(value).map((item) => {
    const url = URL.canParse(item) ? new URL(item) : undefined
    if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
      throw new Error(`must be addresses such as https://speech1.example:8090/v1, not ${item}`)
    if (url.protocol === 'http:' && !isLoopback(url))
      throw new Error(`must begin with https:// for ${url.host}: http:// is not protected and may only stay on this machine`)
    return url.href.replace(/\/+$/, '')
  })

const fallbacks = ['embedded', 'openai', 'deepgram', 'eleven_labs', 'azure'] as const
type SpeechFallback = (typeof fallbacks)[number]

export const fallbackList = (value: string): SpeechFallback[] =>
  value === 'off' ? [] : listed(value).map((item) => oneOf(...fallbacks)(item))

/** The first two parts of a name are its language. */
export const azureVoices = (value: string): string[] =>
  listed(value).map(matching(/^[a-z]{2,3}-[A-Z]{2}-[\w:-]+$/, 'names of voices such as de-DE-KatjaNeural'))

export const postgresUrl = optionally(matching(/^postgres(ql)?:\/\//, 'an address that begins with postgres://'))

/** Networks and addresses; checks only their syntax. */
export const networkList = (value: string): string[] =>
  listed(value).map((item) => {
    const [host = '', length] = item.split('/')
    const bits = isIP(host) === 4 ? 32 : 128
    if (isIP(host) === 0 || (length !== undefined && !(/^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= bits)))
      throw new Error(`must be addresses or networks such as 192.0.2.0/24, not ${item}`)
    return item
  })

/** IP addresses of this machine. */
export const addressList = (value: string): string[] =>
  listed(value).map((item) => {
    if (isIP(item) === 0 || /^[0.:]*$/.test(item)) throw new Error(`must be addresses of this machine such as 10.0.0.11, not ${item}`)
    return item
  })

export const turnList = (value: string): string[] =>
  listed(value).map((item) => {
    if (!/^turns?:[\w.:[\]-]+(\?transport=(udp|tcp))?$/.test(item))
      throw new Error(`must be TURN servers such as turns:turn.example.org:443?transport=tcp, not ${item}`)
    return item
  })

export interface PortRange {
  first: number
  last: number
}

export const portRange = (value: string): PortRange => {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(value)
  const [first, last] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || first < 1024 || last > 65_535 || last - first < 1)
    throw new Error('must be two ports from 1024 to 65535, such as 20000-29999')
  return { first, last }
}

export interface Address {
  host: string
  port: number
}

/** Text form, with an IPv6 address in brackets. */
export const addressText = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Host in SIP addresses; the port may be omitted if it is the default. */
export const sipDomain = (value: string): Address => {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/i.exec(value)
  const port = Number(match?.[3] ?? 5060)
  if (!match?.[1] || port < 1 || port > 65_535)
    throw new Error('must be a host name such as sip.example.org, with :port unless that is 5060')
  return { host: match[1].replace(/^\[(.*)\]$/, '$1'), port }
}

export const address = (value: string): Address => {
  const match = /^(.+):(\d{1,5})$/.exec(value)
  const port = Number(match?.[2])
  if (!match?.[1] || port > 65_535) throw new Error('must be host:port')
  return { host: match[1].replace(/^\[(.*)\]$/, '$1'), port }
}

/** Undefined: in the data folder. */
export const filesPlace = (value: string): { bucket: string; prefix: string } | undefined => {
  if (value === 'folder') return undefined
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,62})((?:\/[\w.-]+)*)\/?$/i.exec(value) ?? []
  if (bucket === undefined) throw new Error('must be folder, or s3://bucket with or without a prefix')
  return { bucket, prefix: path === '' ? '' : `${path.slice(1)}/` }
}

type ServerSideEncryption = { algorithm: 'AES256' } | { algorithm: 'aws:kms'; keyId: string }

export const serverSideEncryption = (value: string): ServerSideEncryption | undefined => {
  if (value === '') return undefined
  if (value === 'AES256') return { algorithm: 'AES256' }
  const keyId = /^aws:kms:([\w:/-]+)$/.exec(value)?.[1]
  if (keyId === undefined) throw new Error('must be AES256 or aws:kms: and the id of a key')
  return { algorithm: 'aws:kms', keyId }
}
