import { Problem } from '@offhook/contract/problem.ts'
import { utcDate } from './working-days.ts'

/** Refuses what has the form of a date but names no day, such as 2026-02-31. */
export const requireCalendarDate = (field: string, date: string): void => {
  const time = Date.parse(date)
  if (Number.isNaN(time) || utcDate(time) !== date) throw Problem.field(field, 'is no calendar date')
}

/** Dates of the past cannot be asked for. */
export const requireFutureDate = (field: string, date: string, now: number): void => {
  requireCalendarDate(field, date)
  if (date <= utcDate(now)) throw Problem.field(field, 'must be in the future')
}
