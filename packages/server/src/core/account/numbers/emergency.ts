import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'

// 112 is emergency everywhere (GSM phones use it in every network); here stand the numbers beyond it.
const national: Record<string, readonly string[]> = {
  AT: ['122', '133', '144'],
  AU: ['000'],
  BE: ['100', '101'],
  CA: ['911'],
  CH: ['117', '118', '144'],
  CZ: ['150', '155', '158'],
  DE: ['110'],
  ES: ['091'],
  FR: ['15', '17', '18', '114'],
  GB: ['999'],
  GR: ['100', '166', '199'],
  HU: ['104', '105', '107'],
  IE: ['999'],
  IT: ['113', '115', '118'],
  JP: ['110', '118', '119'],
  LI: ['117', '118', '144'],
  LU: ['113'],
  MX: ['911'],
  NO: ['110', '113'],
  NZ: ['111'],
  PL: ['997', '998', '999'],
  SK: ['150', '155', '158'],
  US: ['911'],
}

/** Whether this reaches the rescue services and must therefore neither be billed nor blocked. */
export const isEmergency = (dialled: string, country: string): boolean => emergencyNumber(dialled, country) !== undefined

/**
 * The number of the rescue services that this is, as the network knows it. Forgiving on purpose: phones and directories disguise the
 * number with an international prefix (+49112, 0049110) or a leading 0 meant to reach an outside line. Digits alone
 * such as 49112 are no disguise: that can be a quick dial.
 */
export function emergencyNumber(dialled: string, country: string): string | undefined {
  if (dialled.length > 32) return undefined
  const home = country.toUpperCase()
  const known = ['112', ...(national[home] ?? [])]
  const plain = dialled
    .normalize('NFKC')
    .replace(/^\s*tel:/i, '')
    .replace(/[\s()./-]/g, '')
  const undisguised = withoutInternationalPrefix(plain, home)
  return known.find((number) => undisguised === number || undisguised === `0${number}`)
}

function withoutInternationalPrefix(plain: string, home: string): string {
  const abroad = /^(?:\+|00|011)/.exec(plain)?.[0]
  if (abroad === undefined || !isSupportedCountry(home)) return plain
  const callingCode = getCountryCallingCode(home)
  const rest = plain.slice(abroad.length)
  return rest.startsWith(callingCode) ? rest.slice(callingCode.length) : plain
}
