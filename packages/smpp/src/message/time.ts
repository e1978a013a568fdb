/** YYMMDDhhmmsstnnp: tenths, quarters of an hour from UTC, and + or - for that, or R for a span (SMPP 3.4 §7.1.1). */
const pattern = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+\-R])$/

const quarterMs = 15 * 60_000

/** Of schedule_delivery_time and validity_period, in ms since the epoch; undefined if it is no time. */
export const readTime = (value: string, now: number): number | undefined => {
  const found = pattern.exec(value)
  if (!found) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = found.slice(1, 9).map(Number)
  if (found[9] === 'R') {
    const day = new Date(now)
    day.setUTCFullYear(day.getUTCFullYear() + years, day.getUTCMonth() + months, day.getUTCDate() + days)
    return day.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
  }
  if (months < 1 || months > 12 || days < 1 || days > 31 || hours > 23 || minutes > 59 || seconds > 59 || quarters > 48) return undefined
  // Local time: ahead of UTC the clock shows more.
  const there = Date.UTC(2000 + years, months - 1, days, hours, minutes, seconds, tenths * 100)
  return found[9] === '+' ? there - quarters * quarterMs : there + quarters * quarterMs
}
