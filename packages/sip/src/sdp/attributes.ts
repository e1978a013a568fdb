import { readNumber } from '../grammar/scan.ts'
import type { Connection, Crypto, Fingerprint, IceCandidate, Payload } from './sdp.ts'

/*
 * One function for each kind of value. They answer undefined for what they cannot read: such an attribute is treated like one
 * that is unknown, and is not worth an exception.
 */

/** What stands between blanks. */
export const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** `IN IP4 192.0.2.1/127` */
export const readConnection = ([net, family, address]: readonly string[]): Connection | undefined => {
  const upper = family?.toUpperCase()
  if (net?.toUpperCase() !== 'IN' || (upper !== 'IP4' && upper !== 'IP6') || address === undefined) return undefined
  const slash = address.indexOf('/')
  return { family: upper, address: slash < 0 ? address : address.slice(0, slash) }
}

/** `8 PCMA/8000` */
export const readRtpmap = (value: string): Omit<Payload, 'fmtp'> | undefined => {
  const [number = '', map = ''] = words(value)
  const [encoding = '', rate = '', count = '1'] = map.split('/')
  const type = readNumber(number, 127)
  const clockRate = readNumber(rate, 10_000_000)
  const channels = readNumber(count, 255)
  if (type === undefined || encoding === '' || clockRate === undefined || channels === undefined) return undefined
  return { type, encoding, clockRate, channels }
}

/** `101 0-16` */
export const readFmtp = (value: string): { type: number; fmtp: string } | undefined => {
  const blank = value.indexOf(' ')
  const type = readNumber(value.slice(0, Math.max(blank, 0)), 127)
  return type === undefined ? undefined : { type, fmtp: value.slice(blank + 1).trim() }
}

/** `1 AES_CM_128_HMAC_SHA1_80 inline:key|2^31|1:4 UNENCRYPTED_SRTCP` */
export const readCrypto = (value: string): Crypto | undefined => {
  const [number = '', suite = '', keys = '', ...sessionParams] = words(value)
  const tag = readNumber(number, 999_999_999)
  const bar = keys.indexOf('|')
  const key = keys.slice(7, bar < 0 ? keys.length : bar)
  if (tag === undefined || keys.slice(0, 7).toLowerCase() !== 'inline:' || keys.includes(';') || key === '') return undefined
  return { tag, suite, key, keyOptions: bar < 0 ? undefined : keys.slice(bar + 1), sessionParams }
}

/** `sha-256 AB:CD:…` */
export const readFingerprint = (text: string): Fingerprint | undefined => {
  const [hash, value] = words(text)
  return hash === undefined || value === undefined ? undefined : { hash: hash.toLowerCase(), value }
}

/** `1 1 UDP 2130706431 192.0.2.1 5000 typ host` */
export const readCandidate = (text: string): IceCandidate | undefined => {
  const [foundation = '', second = '', protocol = '', fourth = '', address = '', sixth = '', typ, type, ...rest] = words(text)
  const component = readNumber(second, 256)
  const priority = readNumber(fourth, 2 ** 32 - 1)
  const port = readNumber(sixth, 65_535)
  if (component === undefined || priority === undefined || port === undefined || typ !== 'typ' || type === undefined) return undefined
  return { foundation, component, protocol: protocol.toLowerCase(), priority, address, port, type, extensions: rest.join(' ') }
}

/** `5001 IN IP4 192.0.2.1` or the port alone. */
export const readRtcp = (value: string): { port: number; connection: Connection | undefined } | undefined => {
  const [number = '', ...address] = words(value)
  const port = readNumber(number, 65_535)
  return port === undefined ? undefined : { port, connection: readConnection(address) }
}
