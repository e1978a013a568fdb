import type { OfficeHours } from '#core/kernel/ports/store/line/schedules.ts'
import { dayMinutes, evaluate, localTime, minuteMs, overridden } from './evaluate.ts'

const horizonDays = 14
/** Spans are never shorter, so that none is stepped over. */
const step = 15 * minuteMs

/**
 * When the answer changes next, within 14 days; only to be shown (about 2 ms). Steps of a quarter of an hour, then minutes: right also where the
 * clocks change, because only the clock on the wall is asked.
 */
export const changesAt = (hours: OfficeHours, at: number): number | undefined => {
  if (overridden(hours, at)) return hours.override?.until
  const rules = { ...hours, override: undefined }
  const { open } = evaluate(rules, at)
  return firstMinute(at, horizonDays * dayMinutes * minuteMs, (moment) => evaluate(rules, moment).open !== open)
}

/** Midnight in the time zone of the schedule. */
export const dayEndsAt = ({ timeZone }: OfficeHours, at: number): number => {
  const { date } = localTime(at, timeZone)
  const twoDays = 2 * dayMinutes * minuteMs
  return firstMinute(at, twoDays, (moment) => localTime(moment, timeZone).date !== date) ?? at + twoDays
}

const firstMinute = (at: number, within: number, is: (moment: number) => boolean): number | undefined => {
  const start = Math.floor(at / minuteMs) * minuteMs
  for (let coarse = start + step; coarse <= start + within; coarse += step) {
    if (!is(coarse)) continue
    for (let fine = coarse - step + minuteMs; fine <= coarse; fine += minuteMs) if (is(fine)) return fine
  }
  return undefined
}
