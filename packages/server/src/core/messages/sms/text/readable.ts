import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'

const maxSenderLength = 20

/** Capacity of 255 parts if all characters are surrogate pairs: more cannot be forwarded. */
const maxTextLength = 255 * 66

/** Removes characters that no database stores: NUL and lone surrogates. */
export const readableText = (text: string): string => text.replaceAll('\0', '').slice(0, maxTextLength).toWellFormed()

/** Normalizes a sender from another network: E.164 if it is a number, else unchanged. */
export const readableSender = (written: string, country: string): string =>
  numberFrom(written, country) ?? readableText(written).trim().slice(0, maxSenderLength)

/** Networks write numbers with and without plus. */
export const numberFrom = (written: string, country: string): string | undefined =>
  parseNumber(written, country, { bareDigitsAreE164: true })?.e164 ?? parseNumber(written, country)?.e164
