import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { emergencyNumbersOf, shortNumberCost } from '#core/kernel/phone-numbers/short-numbers.ts'

/** Whether this is an emergency number, which must never be billed or blocked. */
export const isEmergency = (dialled: string, country: string): boolean => emergencyNumber(dialled, country) !== undefined

/**
 * Returns the emergency number as the network knows it. Deliberately tolerant: phones and directories disguise the
 * number with an international prefix (+49112, 0049110) or a leading 0 for an outside line. Bare digits
 * such as 49112 do not count: they can be a quick dial.
 */
export const emergencyNumber = (dialled: string, country: string): string | undefined => {
  const plain = withoutDecoration(dialled)
  const known = emergencyNumbersOf(country)
  if (known.has(plain)) return plain
  const national = withoutInternationalPrefix(plain, country.toUpperCase())
  const number = [national, national.replace(/^0/, '')].find((one) => known.has(one))
  return number !== undefined && isNothingElse(plain, country) ? number : undefined
}

/**
 * The same after a 9 for an outside line, as users of other PBXs dial it (9911). Quick dials and local numbers may begin with 9:
 * call only when the digits are neither.
 */
export const emergencyBehindNine = (dialled: string, country: string): string | undefined => {
  const plain = withoutDecoration(dialled)
  const number = plain.slice(1)
  return plain.startsWith('9') && emergencyNumbersOf(country).has(number) && isNothingElse(plain, country) ? number : undefined
}

const maxLength = 32

const withoutDecoration = (dialled: string): string =>
  dialled.length > maxLength
    ? ''
    : dialled
        .normalize('NFKC')
        .replace(/^\s*tel:/i, '')
        .replace(/[\s()./-]/g, '')

const isNothingElse = (plain: string, country: string): boolean =>
  parseNumber(plain, country) === undefined && shortNumberCost(plain, country) === undefined

const withoutInternationalPrefix = (plain: string, home: string): string => {
  const abroad = /^(?:\+|00|011)/.exec(plain)?.[0]
  if (abroad === undefined || !isSupportedCountry(home)) return plain
  const callingCode = getCountryCallingCode(home)
  const rest = plain.slice(abroad.length)
  return rest.startsWith(callingCode) ? rest.slice(callingCode.length) : plain
}
