import { cellMinutes } from '@offhook/contract/v3/calendars.ts'
import type { Booking, Calendar, Occupied } from '#core/kernel/ports/store/calendar.ts'
import type { Span, SpecialDay, Weekday } from '#core/kernel/ports/store/line.ts'
import { addDays, localDay } from '#core/kernel/local-day.ts'
import { endOf, localTime, minuteMs, minuteOf, spansOf } from '../schedules/evaluate.ts'

type Settings = Calendar['settings']
export type Service = Settings['services'][number]
type Person = Settings['people'][number]

export interface Slot {
  startsAt: number
  endsAt: number
  /** Ids of those who are free, in the order of the calendar. */
  people: string[]
}

interface Search {
  service: Service
  /** Missing: everybody who does it. */
  person?: string | undefined
  from: number
  to: number
  now: number
  limit: number
  /** All bookings in that time, with expired holds. */
  bookings: readonly Booking[]
}

const defaults = { stepMinutes: 15, noticeMinutes: 0, horizonDays: 60 }
export const defaultHoldMinutes = 5
const cellMs = cellMinutes * minuteMs
const dayMs = 24 * 60 * minuteMs

/** People who do the service, in the order of the calendar. */
export const peopleFor = ({ people }: Settings, service: Service): Person[] =>
  people.filter(({ id }) => service.people?.includes(id) ?? true)

/** Whether it still blocks others. */
export const isActive = ({ state, holdUntil }: Pick<Booking, 'state' | 'holdUntil'>, now: number): boolean =>
  state === 'CONFIRMED' || (state === 'HELD' && (holdUntil ?? 0) > now)

/** The service at that time in a diary. */
export const occupied = ({ minutes, before = 0, after = 0 }: Service, person: string, startsAt: number): Occupied => {
  const endsAt = startsAt + minutes * minuteMs
  return {
    person,
    startsAt,
    endsAt,
    busyFrom: Math.floor((startsAt - before * minuteMs) / cellMs) * cellMs,
    busyTo: Math.ceil((endsAt + after * minuteMs) / cellMs) * cellMs,
  }
}

/** Free slots, the earliest first. */
export const freeSlots = (settings: Settings, search: Search): Slot[] => {
  const { noticeMinutes, horizonDays } = { ...defaults, ...settings }
  const { service, now, limit } = search
  const within = { from: Math.max(search.from, now + noticeMinutes * minuteMs), to: Math.min(search.to, now + horizonDays * dayMs) }
  const moments = localMoments(settings.timeZone)
  const found = new Map<number, string[]>()
  for (const person of peopleFor(settings, service)) {
    if (search.person !== undefined && person.id !== search.person) continue
    const busy = busyCells(search, person.id)
    const isFree = (startsAt: number): boolean => cellsOf(occupied(service, person.id, startsAt)).every((cell) => !busy.has(cell))
    for (const startsAt of startsOf(settings, person, service, within, moments).filter(isFree).slice(0, limit))
      found.set(startsAt, [...(found.get(startsAt) ?? []), person.id])
  }
  const inOrder = [...found].toSorted(([a], [b]) => a - b).slice(0, limit)
  return inOrder.map(([startsAt, people]) => ({ startsAt, endsAt: startsAt + service.minutes * minuteMs, people }))
}

const cellsOf = ({ busyFrom, busyTo }: Pick<Occupied, 'busyFrom' | 'busyTo'>): number[] =>
  Array.from({ length: (busyTo - busyFrom) / cellMs }, (_, nth) => busyFrom / cellMs + nth)

const busyCells = ({ bookings, now }: Search, person: string): Set<number> =>
  new Set(bookings.filter((booking) => booking.person === person && isActive(booking, now)).flatMap(cellsOf))

/** Times within working hours at which the service can begin, the earliest first. */
const startsOf = (
  settings: Settings,
  person: Person,
  { minutes }: Service,
  { from, to }: { from: number; to: number },
  momentOf: (day: string, minute: number) => number,
): number[] => {
  const { stepMinutes, timeZone } = { ...defaults, ...settings }
  const starts = new Set<number>()
  if (from >= to) return []
  const last = localDay(to, timeZone)
  for (let day = addDays(localDay(from, timeZone), -1); day <= last; day = addDays(day, 1)) {
    for (const span of hoursOf(settings, person, day)) {
      const closes = momentOf(day, endOf(span))
      const opens = momentOf(day, minuteOf(span.from))
      for (let at = opens; at + minutes * minuteMs <= closes; at += stepMinutes * minuteMs) if (at >= from && at < to) starts.add(at)
    }
  }
  return [...starts].toSorted((a, b) => a - b)
}

/** The person's own rule for a day goes first, then that of all, then the week. */
const hoursOf = (settings: Settings, person: Person, day: string): readonly Span[] => {
  const week: Partial<Record<Weekday, readonly Span[]>> = person.week ?? settings.week
  const days: readonly SpecialDay[] = [...(person.days ?? []), ...settings.days]
  return spansOf({ timeZone: settings.timeZone, week, days }, day)
}

/** Moment of a local time, kept for the next person. A time that a clock change skips is that much later. */
export const localMoments = (timeZone: string): ((day: string, minute: number) => number) => {
  const known = new Map<string, number>()
  const offset = (at: number): number => {
    const { date, minute } = localTime(at, timeZone)
    return Date.parse(`${date}T00:00:00Z`) + minute * minuteMs - at
  }
  return (day, minute) => {
    const key = `${day} ${minute}`
    const kept = known.get(key)
    if (kept !== undefined) return kept
    const wanted = Date.parse(`${day}T00:00:00Z`) + minute * minuteMs
    const moment = wanted - offset(wanted - offset(wanted))
    known.set(key, moment)
    return moment
  }
}
