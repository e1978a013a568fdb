import type { OfficeHours, Span, SpecialDay, Weekday } from '#core/kernel/ports/store/line.ts'
import type { verdictReasons } from '@offhook/contract/office-hours.ts'

/** Weekly hours, special days, and a manual override. All comparisons use local time, so that 09:00 stays 09:00. */

export interface Verdict {
  open: boolean
  because: (typeof verdictReasons)[number]
  /** Name of the special day. */
  name?: string
  /** Local time at which it closed today, if it was open before. */
  since?: string
}

interface Local {
  date: string
  weekday: Weekday
  minute: number
}

const weekdays: readonly Weekday[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
export const dayMinutes = 24 * 60
export const minuteMs = 60_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Cached: creating one costs a thousand times more than using it. */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(timeZone, made)
  return made
}

export const localTime = (at: number, timeZone: string): Local => {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = value
  const date = `${parts.year}-${parts.month}-${parts.day}`
  return { date, weekday: weekdayOf(date), minute: Number(parts.hour) * 60 + Number(parts.minute) }
}

const weekdayOf = (date: string): Weekday => weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] as Weekday

const dayBefore = (date: string): string => new Date(Date.parse(`${date}T00:00:00Z`) - dayMinutes * minuteMs).toISOString().slice(0, 10)

export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** The rule for an exact date takes precedence over the yearly one. */
const ruleFor = ({ days }: OfficeHours, date: string): SpecialDay | undefined =>
  days.find((rule) => rule.date === date) ?? days.find((rule) => rule.date === `--${date.slice(5)}`)

export const spansOf = (hours: OfficeHours, date: string): readonly Span[] => {
  const rule = ruleFor(hours, date)
  return rule ? rule.open : (hours.week[weekdayOf(date)] ?? [])
}

/** Minutes since the start of the day to which the span belongs. */
export const endOf = ({ from, to }: Span): number => {
  const end = minuteOf(to)
  return end > minuteOf(from) ? end : end + dayMinutes
}

const covers = (span: Span, offset: number): boolean => offset >= minuteOf(span.from) && offset < endOf(span)

const byRules = (hours: OfficeHours, at: number): Verdict => {
  const { date, minute } = localTime(at, hours.timeZone)
  const today = ruleFor(hours, date)
  const spans = spansOf(hours, date)
  // A closed day is closed from its first minute, even if a span of the evening before extends into it.
  const evening = today && today.open.length === 0 ? [] : spansOf(hours, dayBefore(date))
  const open = spans.some((span) => covers(span, minute)) || evening.some((span) => covers(span, minute + dayMinutes))
  const closedAt = open ? undefined : lastEnd(spans, evening, minute)
  return { open, because: today ? 'DAY' : 'WEEK', ...(today && { name: today.name }), ...(closedAt !== undefined && { since: closedAt }) }
}

/** End of the last finished span of today or of the night before. */
const lastEnd = (spans: readonly Span[], evening: readonly Span[], minute: number): string | undefined => {
  const ends = [...spans.map(endOf), ...evening.map((span) => endOf(span) - dayMinutes)].filter((end) => end > 0 && end <= minute)
  if (ends.length === 0) return undefined
  const last = Math.max(...ends)
  return `${String(Math.floor(last / 60)).padStart(2, '0')}:${String(last % 60).padStart(2, '0')}`
}

export const overridden = ({ override }: OfficeHours, at: number): boolean =>
  override !== undefined && (override.until === undefined || at < override.until)

/** Used for calls: about 20 microseconds. */
export const evaluate = (hours: OfficeHours, at: number): Verdict =>
  overridden(hours, at) ? { open: hours.override?.state === 'OPEN', because: 'OVERRIDE' } : byRules(hours, at)
