import type { OfficeHours } from '#core/kernel/ports/store/line.ts'
import { dayMinutes, evaluate, localTime, minuteMs, overridden } from './evaluate.ts'

const horizonDays = 14
/** Spans are never shorter, so a step cannot skip one. */
const step = 15 * minuteMs

/**
 * Time of the next change within 14 days; for display only (about 2 ms). Steps of 15 minutes, then minutes: correct across
 * clock changes, because only local time is compared.
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
