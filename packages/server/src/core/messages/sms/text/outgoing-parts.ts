import { createHash } from 'node:crypto'
import type { SmsPart, SmsRoute } from '#core/kernel/ports/messages.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { escapeCode, extensionCodes, plainCodes } from './gsm-alphabet.ts'
import { cutText, type SmsEncoding } from './segments.ts'

type Written = Pick<StoredSms, 'id' | 'sender' | 'recipient' | 'text'>

/** A message in the form that this route takes. Deterministic: resent parts match those that arrived before. */
export const partsFor = ({ takes }: Pick<SmsRoute, 'takes'>, { id, sender, recipient, text }: Written): SmsPart[] => {
  const { encoding, parts } = cutText(text)
  const whole = { sender, recipient, encoding }
  if (takes === 'text' || parts.length === 1) return [{ ...whole, payload: encode(encoding, text), text }]
  const reference = createHash('sha256').update(id).digest()[0] ?? 0
  return parts.map((part, index) => ({
    ...whole,
    payload: encode(encoding, part),
    text: part,
    of: { reference, total: parts.length, number: index + 1 },
  }))
}

const encode = (encoding: SmsEncoding, text: string): Uint8Array => (encoding === 'GSM7' ? septets(text) : bigEndian(text))

const septets = (text: string): Uint8Array =>
  Uint8Array.from(
    Array.from(text).flatMap((character) => {
      const code = plainCodes.get(character)
      return code === undefined ? [escapeCode, extensionCodes.get(character) ?? 0] : [code]
    }),
  )

const bigEndian = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16()
