import {
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber as ParsedNumber,
} from 'libphonenumber-js/max'
import { areaCodeAtStartOf } from './german-areas.ts'

export type NumberType = 'MOBILE' | 'LANDLINE' | 'INTERNATIONAL'

export interface PhoneNumber {
  /** With the plus sign: `+4921163554444`. */
  e164: string
  /** Seen from the account's country: everything abroad is INTERNATIONAL. */
  type: NumberType
  /** ISO 3166 code; absent for numbers that belong to no country, such as +800. */
  country?: string
  /** Costs extra wherever it is called from (0900, 0137, +979 …). */
  premium: boolean
}

export interface ParseOptions {
  /** Digits without a prefix are E.164 without its plus, never a national number. */
  bareDigitsAreE164?: boolean
}

// 0137 and 0138, for votes and games. Most of them are "shared cost" for the library, like 0180, but every call has a price of its own.
const germanMassTraffic = /^\+4913[78]/

// Longer than any number with its decoration; keeps hostile input away from the parser.
const maxInputLength = 40

/**
 * A phone number as people and programs write it. National forms are read as dialled in `country`, with the trunk prefix where the
 * country has one: `4921163554444` is a German number everywhere and not one in Emden (04921). Emergency and service numbers
 * (112, 115, 11833) are no phone numbers in this sense: ask `isEmergency` first.
 */
export function parseNumber(input: string, country: string, options: ParseOptions = {}): PhoneNumber | undefined {
  const written = withoutDecoration(input)
  if (written === undefined) return undefined
  const home = supportedCountry(country)
  const parsed = readings(written, home, options).find((reading) => reading?.isValid())
  return parsed && describe(parsed, country.toUpperCase())
}

export interface NumberKind {
  /** ISO 3166 code; absent for numbers that belong to no country. */
  country?: string
  /** A landline, a mobile phone or a free number: nothing whose owner earns by being called. */
  isOrdinary: boolean
  isFreephone: boolean
}

const ordinaryKinds: unknown[] = ['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE', 'VOIP', 'TOLL_FREE']

export function kindOf(e164: string): NumberKind {
  const parsed = parsePhoneNumberFromString(e164)
  const kind = parsed?.getType()
  return {
    ...(parsed?.country && { country: parsed.country }),
    isOrdinary: ordinaryKinds.includes(kind),
    isFreephone: kind === 'TOLL_FREE',
  }
}

/** The form without plus that sessions and push notifications use. */
export function digits(e164: string): string {
  return e164.replace(/^\+/, '')
}

/** For eyes: as written inside `country`, in the international form elsewhere. */
export function localized(e164: string, country: string): string {
  const parsed = parsePhoneNumberFromString(e164)
  if (!parsed) return e164
  return parsed.country === country.toUpperCase() ? parsed.formatNational() : parsed.formatInternational()
}

/** The national part, without 0, of a German number that is bound to a place; undefined for all others. */
export function germanGeographic(e164: string): string | undefined {
  const parsed = parsePhoneNumberFromString(e164)
  if (parsed?.country !== 'DE' || parsed.getType() !== 'FIXED_LINE') return undefined
  // 032 counts as a fixed line for the library, but belongs to no place.
  return parsed.nationalNumber.startsWith('32') ? undefined : parsed.nationalNumber
}

/** The area code, without 0, of a German landline number, if it is one of the table's. */
export function areaCodeOf(e164: string): string | undefined {
  const national = germanGeographic(e164)
  return national === undefined ? undefined : areaCodeAtStartOf(national)
}

/** Digits with or without a leading plus. Letters, extensions, URIs and every character outside ASCII are refused, not repaired. */
function withoutDecoration(input: string): string | undefined {
  if (input.length > maxInputLength) return undefined
  const number = input.replace(/^ *tel:/i, '')
  if (!/^ *\+?[0-9 ()./-]+$/.test(number)) return undefined
  return number.replace(/[^0-9+]/g, '')
}

function readings(written: string, home: CountryCode | undefined, options: ParseOptions): (ParsedNumber | undefined)[] {
  const international = (number: string) => parsePhoneNumberFromString(`+${number}`)
  const national = () => (home ? parsePhoneNumberFromString(written, { defaultCountry: home, extract: false }) : undefined)
  if (written.startsWith('+')) return [international(written.slice(1))]
  // 00 is not the way out of every country (0011 in Australia), so the country's own reading comes first.
  if (written.startsWith('00')) return [national(), international(written.slice(2))]
  if (options.bareDigitsAreE164 || !home || lacksTrunkPrefix(written, home)) return [international(written)]
  return [national(), international(written)]
}

/** True where national numbers are dialled with a prefix and this one has none. North America's 1 is left out as often as not. */
function lacksTrunkPrefix(written: string, home: CountryCode): boolean {
  const metadata = new Metadata()
  metadata.selectNumberingPlan(home)
  // The library has this method (0 stands for none) but leaves it out of its types.
  const plan = metadata.numberingPlan as unknown as { nationalPrefix(): string | 0 | undefined }
  const prefix = plan.nationalPrefix()
  return Boolean(prefix) && prefix !== '1' && !written.startsWith(String(prefix))
}

function describe(parsed: ParsedNumber, home: string): PhoneNumber {
  const kind = parsed.getType()
  const domestic = parsed.country === home
  const type = !domestic ? 'INTERNATIONAL' : kind === 'MOBILE' ? 'MOBILE' : 'LANDLINE'
  const number: PhoneNumber = { e164: parsed.number, type, premium: kind === 'PREMIUM_RATE' || germanMassTraffic.test(parsed.number) }
  if (parsed.country) number.country = parsed.country
  return number
}

function supportedCountry(country: string): CountryCode | undefined {
  const code = country.toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}
