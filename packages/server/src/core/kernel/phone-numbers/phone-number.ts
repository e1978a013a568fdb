import {
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber as ParsedNumber,
} from 'libphonenumber-js/max'
import { areaCodeAtStartOf, areaCodesOf, type Place } from './german-areas.ts'

type NumberType = 'MOBILE' | 'LANDLINE' | 'INTERNATIONAL'

export interface PhoneNumber {
  /** With the plus sign: `+4921163554444`. */
  e164: string
  /** Relative to the account's country: numbers abroad are INTERNATIONAL. */
  type: NumberType
  /** ISO 3166 code; absent for numbers without a country, such as +800. */
  country?: string
  /** Charged extra from everywhere (0900, 0137, +979 …). */
  premium: boolean
}

interface ParseOptions {
  /** Reads digits without a prefix as E.164 without its plus, never as a national number. */
  bareDigitsAreE164?: boolean
}

// 0137 and 0138, for votes and games. The library classifies most of them as "shared cost", like 0180, but each call is charged individually.
const germanMassTraffic = /^\+4913[78]/

// More than any formatted number needs; keeps hostile input away from the parser.
const maxInputLength = 40

/**
 * Parses a phone number as people and programs write it. National forms are read as dialled in `country`, with the trunk prefix where the
 * country has one: `4921163554444` is a German number everywhere and not one in Emden (04921). Rejects emergency and service numbers
 * (112, 115, 11833): call `isEmergency` first.
 */
export function parseNumber(input: string, country: string, options: ParseOptions = {}): PhoneNumber | undefined {
  const written = withoutDecoration(input)
  if (written === undefined) return undefined
  const home = supportedCountry(country)
  const parsed = readings(written, home, options).find((reading) => reading?.isValid())
  return parsed && describe(parsed, country.toUpperCase())
}

interface NumberKind {
  /** ISO 3166 code; absent for numbers without a country. */
  country?: string
  /** Landline, mobile or free number: its owner earns no share of the call charge. */
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

/** E.164 without the plus, as used by sessions and push notifications. */
export function digits(e164: string): string {
  return e164.replace(/^\+/, '')
}

/** Country code and national number, as contained in every spelling of the number. */
export function numberParts(e164: string): { countryCode: string; national: string } | undefined {
  const parsed = parsePhoneNumberFromString(e164)
  return parsed && { countryCode: parsed.countryCallingCode, national: parsed.nationalNumber }
}

/** Display form: national within `country`, international elsewhere. */
export function localized(e164: string, country: string): string {
  const parsed = parsePhoneNumberFromString(e164)
  if (!parsed) return e164
  return parsed.country === country.toUpperCase() ? parsed.formatNational() : parsed.formatInternational()
}

/** National part, without 0, of a German geographic number; undefined for others. */
export function germanGeographic(e164: string): string | undefined {
  const parsed = parsePhoneNumberFromString(e164)
  if (parsed?.country !== 'DE' || parsed.getType() !== 'FIXED_LINE') return undefined
  // The library counts 032 as a fixed line, but it belongs to no place.
  return parsed.nationalNumber.startsWith('32') ? undefined : parsed.nationalNumber
}

/** Area code, without 0, of a German landline number; undefined if missing from the table. */
export function areaCodeOf(e164: string): string | undefined {
  const national = germanGeographic(e164)
  return national === undefined ? undefined : areaCodeAtStartOf(national)
}

/** Digits with or without a leading plus. Rejects letters, extensions, URIs and non-ASCII characters instead of repairing them. */
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
  // 00 is not the international prefix everywhere (0011 in Australia), so the national reading comes first.
  if (written.startsWith('00')) return [national(), international(written.slice(2))]
  if (options.bareDigitsAreE164 || !home || lacksTrunkPrefix(written, home)) return [international(written)]
  return [national(), international(written)]
}

/** True if the country dials national numbers with a prefix and this one has none. North America's 1 is optional, so it does not count. */
function lacksTrunkPrefix(written: string, home: CountryCode): boolean {
  const metadata = new Metadata()
  metadata.selectNumberingPlan(home)
  // The library has this method (0 means none) but omits it from its types.
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

export type PlaceVerdict = 'yes' | 'no' | 'unknown'

/**
 * Checks whether a holder who lives or works at `place` may hold this number. In Germany a geographic number requires a residence or
 * business in its area; mobile, non-geographic and foreign numbers are not bound to a place. "unknown" requires a manual review.
 */
export function placeAllows(e164: string, place: Place): PlaceVerdict {
  if (!parsePhoneNumberFromString(e164)?.isValid()) return 'unknown'
  if (germanGeographic(e164) === undefined) return 'yes'
  const country = place.country.trim().toUpperCase()
  if (!/^[A-Z]{2}$/.test(country)) return 'unknown'
  if (country !== 'DE') return 'no'
  const code = areaCodeOf(e164)
  const codes = areaCodesOf(place)
  if (code === undefined || codes === undefined) return 'unknown'
  return codes.includes(code) ? 'yes' : 'no'
}
