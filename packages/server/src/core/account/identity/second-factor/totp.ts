import { createHmac, randomBytes } from 'node:crypto'

/** RFC 6238 with the defaults of every authenticator app: SHA-1, six digits, 30 seconds. */
const stepMs = 30_000
const digits = 6
/** As long as the hash, as RFC 4226 recommends. */
const secretBytes = 20
/** Tolerated steps before and after the current one: clocks differ, and people type slowly. */
const tolerance = 1

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const newTotpSecret = (): string => toBase32(randomBytes(secretBytes))

export const totpCode = (secret: Uint8Array, counter: number, length = digits): string => {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const hash = createHmac('sha1', secret).update(message).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  const number = hash.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** Counter of the code; undefined when it is outside the tolerated steps. */
export const counterOf = (secret: string, code: string, now: number): number | undefined => {
  const key = fromBase32(secret)
  const present = Math.floor(now / stepMs)
  const counters = Array.from({ length: 2 * tolerance + 1 }, (_, index) => present - tolerance + index)
  return counters.findLast((counter) => totpCode(key, counter) === code)
}

/** The otpauth address in the QR code for authenticator apps. */
export const totpUri = (secret: string, label: string): string => {
  const issuer = 'Offhook'
  return `otpauth://totp/${issuer}:${encodeURIComponent(label)}?${new URLSearchParams({ secret, issuer }).toString()}`
}

const toBase32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

const fromBase32 = (text: string): Uint8Array => {
  const bits = text
    .split('')
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2))
}
