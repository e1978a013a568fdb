import { Problem } from '@offhook/contract/problem.ts'
import { countries, type HolidayDate, type HolidayRule } from './holiday-table.ts'

export interface Holiday {
  date: string
  name: string
  partly?: true
}

export interface HolidayInput {
  country: string
  region?: string
  year: number
}

const dayMs = 86_400_000

/** In the order of the year. Without a region: what holds in the whole country. */
export const holidaysOf = ({ country, region, year }: HolidayInput) => {
  const known = Object.hasOwn(countries, country) ? countries[country] : undefined
  if (!known || (region !== undefined && !Object.hasOwn(known.regions, region))) throw new Problem('country_unknown')
  const items = known.holidays.flatMap((rule): Holiday[] => {
    const holds = holdsIn(rule, region)
    return holds ? [{ date: dateOf(rule.on, year), name: rule.name, ...(holds === 'partly' && { partly: true as const }) }] : []
  })
  const regions = Object.entries(known.regions).map(([code, name]) => ({ code, name }))
  return { items: items.toSorted((a, b) => a.date.localeCompare(b.date)), regions }
}

const holdsIn = ({ in: regions, partly }: HolidayRule, region: string | undefined): 'all' | 'partly' | undefined => {
  if (regions === undefined) return 'all'
  if (region === undefined) return undefined
  if (regions.split(' ').includes(region)) return 'all'
  return partly?.split(' ').includes(region) ? 'partly' : undefined
}

const dateOf = (on: HolidayDate, year: number): string => {
  if ('date' in on) return `${year}-${on.date}`
  if ('easter' in on) return written(easter(year) + on.easter * dayMs)
  if ('weekday' in on) return written(weekdayFrom(`${year}-${on.from}`, on.weekday) + (on.plus ?? 0) * dayMs)
  // The first Thursday of April, a week later in Holy Week.
  const thursday = weekdayFrom(`${year}-04-01`, 4)
  return written(thursday === easter(year) - 3 * dayMs ? thursday + 7 * dayMs : thursday)
}

const written = (at: number): string => new Date(at).toISOString().slice(0, 10)

const weekdayFrom = (date: string, weekday: number): number => {
  const at = Date.parse(`${date}T00:00:00Z`)
  return at + ((weekday - new Date(at).getUTCDay() + 7) % 7) * dayMs
}

/** Easter Sunday by the Gregorian calendar (Meeus, Jones, Butcher). */
const easter = (year: number): number => {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const ofCentury = year % 100
  const shift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const moon = (19 * golden + century - Math.floor(century / 4) - shift + 15) % 30
  const sunday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - moon - (ofCentury % 4)) % 7
  const late = Math.floor((golden + 11 * moon + 22 * sunday) / 451)
  const month = moon + sunday - 7 * late + 114
  return Date.UTC(year, Math.floor(month / 31) - 1, (month % 31) + 1)
}
