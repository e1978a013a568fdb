import { isUtf8 } from 'node:buffer'
import { malformed } from './scan.ts'

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"

const allowing = (more: string): Uint8Array => {
  const allowed = new Uint8Array(128)
  for (const char of unreserved + more) allowed[char.charCodeAt(0)] = 1
  return allowed
}

/** Which characters stand for themselves in each part of a URI, RFC 3261 §25.1. */
export const plainIn = {
  user: allowing('&=+$,;?/'),
  password: allowing('&=+$,'),
  param: allowing('[]/:&+$'),
  header: allowing('[]/?:+$'),
} as const

const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** Undoes %41, once. What comes out must be UTF-8. */
export const unescape = (text: string): string => {
  if (!text.includes('%')) return text
  const encoded = Buffer.from(text)
  let length = 0
  for (let i = 0; i < encoded.length; i++) {
    let byte = encoded[i]!
    if (byte === 37) {
      const high = hexDigit(encoded[i + 1] ?? 0)
      const low = hexDigit(encoded[i + 2] ?? 0)
      if (high < 0 || low < 0) throw malformed('A percent sign is not followed by two hexadecimal digits')
      byte = high * 16 + low
      i += 2
    }
    encoded[length++] = byte
  }
  const plain = encoded.subarray(0, length)
  if (!isUtf8(plain)) throw malformed('An escaped text is not UTF-8')
  return plain.toString()
}

const isPlain = (text: string, plain: Uint8Array): boolean => {
  for (let i = 0; i < text.length; i++) if (plain[text.charCodeAt(i)] !== 1) return false
  return true
}

export const escape = (text: string, plain: Uint8Array): string => {
  if (isPlain(text, plain)) return text
  let escaped = ''
  for (const byte of Buffer.from(text)) {
    escaped += plain[byte] === 1 ? String.fromCharCode(byte) : `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`
  }
  return escaped
}
