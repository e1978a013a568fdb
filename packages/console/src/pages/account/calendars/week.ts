import type { OutputOf } from '#api/use-service.ts'

export type Calendar = OutputOf<'getCalendar'>
export type Booking = OutputOf<'getBooking'>

const dayMs = 86_400_000
/** No time zone is further from UTC. */
const widestZoneMs = 14 * 3_600_000

/** 2027-01-31, in the time zone. */
export const dayIn = (at: number | string, timeZone: string): string => new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(at))

export const addDays = (day: string, count: number): string => new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10)

export const mondayOf = (day: string): string => addDays(day, -((new Date(day).getUTCDay() + 6) % 7))

/** Its seven days, Monday first. */
export const daysFrom = (monday: string): string[] => Array.from({ length: 7 }, (_, nth) => addDays(monday, nth))

/** Moments that contain the week in every time zone. */
export const around = (monday: string): { from: string; to: string } => ({
  from: new Date(Date.parse(monday) - widestZoneMs).toISOString(),
  to: new Date(Date.parse(monday) + 7 * dayMs + widestZoneMs).toISOString(),
})

/** Small letters, digits, underscores, not in use yet. */
export const slugOf = (name: string, taken: readonly string[]): string => {
  const plain = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '')
  const base = plain.slice(0, 36) || 'x'
  const free = ['', ...taken.map((_, nth) => `_${nth + 2}`)].find((end) => !taken.includes(`${base}${end}`)) ?? ''
  return `${base}${free}`
}
