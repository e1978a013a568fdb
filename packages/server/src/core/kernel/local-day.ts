import { Problem } from '@offhook/contract/problem.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** Cached: creating a format costs more than a thousand uses. */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formats.set(timeZone, made)
  return made
}

/** `2026-11-17`, local date in the time zone. */
export const localDay = (at: number, timeZone: string): string => formatOf(timeZone).format(at)

/** `2026-11` */
export const localMonth = (at: number, timeZone: string): string => localDay(at, timeZone).slice(0, 7)

const quarter = 15 * 60_000
const hour = 60 * 60_000

/** First moment of a day, or of the next day if the zone skipped this one. Zones begin days at whole quarters of an hour. */
export const startOfDay = (day: string, timeZone: string): number => {
  let at = Date.parse(`${day}T00:00:00Z`) - 15 * hour
  while (localDay(at + hour, timeZone) < day) at += hour
  while (localDay(at, timeZone) < day) at += quarter
  return at
}

/** Checks that the calendar date exists. */
export const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(day)
}

/** `2026-11`, 1 → `2026-12` */
export const addMonths = (month: string, count: number): string => {
  const [year = 0, nth = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, nth - 1 + count, 1)).toISOString().slice(0, 7)
}

/** `2026-11-30`, 1 → `2026-12-01` */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * 24 * hour).toISOString().slice(0, 10)

export const requireTimezone = (timezone: string, field = 'timezone'): void => {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw Problem.field(field, 'must be a name such as Europe/Berlin')
  }
}
