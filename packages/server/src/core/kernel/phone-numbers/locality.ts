import { areaCodesOf, type Place } from './german-areas.ts'
import { areaCodeOf, germanGeographic } from './phone-number.ts'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

export type PlaceVerdict = 'yes' | 'no' | 'unknown'

/**
 * Whether a holder who lives or works at `place` may hold this number. In Germany a geographic number needs a residence or business in
 * its area; mobile, non-geographic and foreign numbers are not bound to a place. "unknown" asks for a person to look at it.
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
