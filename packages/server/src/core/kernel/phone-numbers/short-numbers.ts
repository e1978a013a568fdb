import { shortNumberTable } from './short-number-table.ts'

/** Cost class of a short number according to the metadata. */
type ShortNumberCost = 'TOLL_FREE' | 'STANDARD' | 'PREMIUM' | 'UNKNOWN'

interface CountryPlan {
  emergency: ReadonlySet<string>
  tollFree: RegExp
  standardRate: RegExp
  premiumRate: RegExp
  inService: RegExp
  /** In service although missing from the metadata. */
  added: RegExp
  /** Numbers of a single mobile carrier or for SMS only: no trunk reaches them. */
  unreachable: RegExp
}

/** Every GSM phone treats 112 as an emergency number (3GPP TS 22.101). */
const everywhere = ['112']

/** Emergency numbers missing from the metadata. */
const moreEmergency: Readonly<Record<string, string>> = { ES: '061 062 080 091 092', FR: '114 191 196', JP: '118' }

/** The metadata lacks German 19222 (patient transport) and assigns some North American N11 numbers to single carriers. */
const moreInService: Readonly<Record<string, string>> = { CA: '[2-8]11', DE: '19222', US: '[2-8]11' }

/** Harmonised numbers of social value are free wherever they are in service (decision 2007/116/EC). */
const harmonised = /^116\d{3}$/

const lines: ReadonlyMap<string, string> = new Map(
  shortNumberTable
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, 2), line]),
)
const plans = new Map<string, CountryPlan>()

export const shortNumberCountries: readonly string[] = [...lines.keys()]

export const emergencyNumbersOf = (country: string): ReadonlySet<string> => planOf(country).emergency

/** Undefined if the country has no such short number, or only phones of one mobile carrier reach it. */
export const shortNumberCost = (digits: string, country: string): ShortNumberCost | undefined => {
  const { tollFree, standardRate, premiumRate, inService, added, unreachable } = planOf(country)
  if (![tollFree, standardRate, premiumRate, inService, added].some((pattern) => pattern.test(digits))) return undefined
  if (tollFree.test(digits) || harmonised.test(digits)) return 'TOLL_FREE'
  if (unreachable.test(digits) && !added.test(digits)) return undefined
  if (premiumRate.test(digits)) return 'PREMIUM'
  return standardRate.test(digits) ? 'STANDARD' : 'UNKNOWN'
}

/** German 19222 exists in every town: with an area code it is reachable from everywhere. */
export const isTownService = (digits: string, country: string): boolean => country.toUpperCase() === 'DE' && digits === '19222'

const planOf = (country: string): CountryPlan => {
  const code = country.toUpperCase()
  const known = plans.get(code)
  if (known) return known
  const plan = readPlan(code)
  if (lines.has(code)) plans.set(code, plan)
  return plan
}

const readPlan = (country: string): CountryPlan => {
  const [, emergency = '', tollFree = '', standardRate = '', premiumRate = '', inService = '', carrier = '', sms = ''] =
    lines.get(country)?.split(';') ?? []
  return {
    emergency: new Set([...everywhere, ...words(emergency), ...words(moreEmergency[country] ?? '')]),
    tollFree: anyOf(tollFree),
    standardRate: anyOf(standardRate),
    premiumRate: anyOf(premiumRate),
    inService: anyOf(inService),
    added: anyOf(moreInService[country] ?? ''),
    unreachable: anyOf(carrier, sms),
  }
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

const nothing = /(?!)/

const anyOf = (...patterns: readonly string[]): RegExp => {
  const written = patterns.filter((pattern) => pattern !== '')
  return written.length === 0 ? nothing : new RegExp(`^(?:${written.join('|')})$`)
}
