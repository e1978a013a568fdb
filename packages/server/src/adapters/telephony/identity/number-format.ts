import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate/trunks.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'

type NumberFormat = TrunkSettings['numberFormat']

/** A number as this carrier wants it written. `country` is where the carrier is. */
export const writeNumber = (e164: string, format: NumberFormat, country: string): string => {
  if (!e164.startsWith('+')) return e164 // an emergency number goes out as it was dialled
  const digits = e164.slice(1)
  if (format === 'PLUS') return e164
  if (format === 'DIGITS') return digits
  return (format === 'NATIONAL' ? nationalForm(e164, country) : undefined) ?? `00${digits}`
}

const nationalForm = (e164: string, country: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(e164)
  return parsed?.country === country ? parsed.formatNational().replaceAll(/\D/g, '') : undefined
}

/** Reading a number costs as much as reading a message, and carriers bring the same ones again and again. */
const known = new BoundedMap<string, { e164: string | undefined }>(1_000)

/** What a carrier wrote, as E.164; undefined when that is no number. `+` and `00` are understood whatever the carrier's habit is. */
export const readNumber = (written: string, format: NumberFormat, country: string): string | undefined => {
  const bareDigitsAreE164 = format === 'DIGITS'
  const key = `${country} ${bareDigitsAreE164} ${written}`
  const before = known.get(key)
  if (before) return before.e164
  const e164 = parseNumber(written, country, { bareDigitsAreE164 })?.e164
  known.set(key, { e164 })
  return e164
}
