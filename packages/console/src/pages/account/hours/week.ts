import type { Schedule } from './schedule-state.tsx'

export type Week = Schedule['week']
export type Day = Schedule['days'][number]
export type Span = Day['open'][number]

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof weekdays)[number]

export const defaultSpan: Span = { from: '09:00', to: '17:00' }
const workdays = ['TU', 'WE', 'TH', 'FR'] as const

export const defaultWeek: Week = { MO: [defaultSpan], TU: [defaultSpan], WE: [defaultSpan], TH: [defaultSpan], FR: [defaultSpan] }

export const hereZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const asMonday = (week: Week): Week => ({ ...week, ...Object.fromEntries(workdays.map((day) => [day, week.MO ?? []])) })

/** After the last span, or the usual one. */
export const nextSpan = (spans: readonly Span[]): Span => {
  const last = spans.at(-1)
  if (!last) return defaultSpan
  const hour = Math.min(Number(last.to.slice(0, 2)) + 1, 22)
  return { from: `${String(hour).padStart(2, '0')}:00`, to: `${String(hour + 1).padStart(2, '0')}:00` }
}
