import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'

const maxSenderLength = 20

/** What 255 messages hold, if all of it is pairs: more than that cannot be passed on. */
const maxTextLength = 255 * 66

/** Without what no database keeps: zeros, and halves of pairs. */
export const readableText = (text: string): string => text.replaceAll('\0', '').slice(0, maxTextLength).toWellFormed()

/** The sender as another network names it: E.164 if it is a number, else unchanged. */
export const readableSender = (written: string, country: string): string =>
  numberFrom(written, country) ?? readableText(written).trim().slice(0, maxSenderLength)

/** Networks write numbers with and without plus. */
export const numberFrom = (written: string, country: string): string | undefined =>
  parseNumber(written, country, { bareDigitsAreE164: true })?.e164 ?? parseNumber(written, country)?.e164
