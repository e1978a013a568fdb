const dayMs = 24 * 60 * 60 * 1000

/** The calendar date in UTC, `2026-12-01`. */
export function utcDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The same time of day, `days` working days later; 0 is `at` itself, even on a holiday. */
export function addWorkingDays(at: number, days: number): number {
  let reached = at
  for (let left = days; left > 0;) {
    reached += dayMs
    if (isWorkingDay(reached)) left -= 1
  }
  return reached
}

/** Monday to Friday, except the holidays of all of Germany. Regional ones count as working days: carriers work on them. */
export function isWorkingDay(at: number): boolean {
  const day = new Date(at)
  const weekend = day.getUTCDay() === 0 || day.getUTCDay() === 6
  return !weekend && !germanHolidays(day.getUTCFullYear()).has(utcDate(at))
}

/** Dates of the nation-wide holidays of a year. */
export function germanHolidays(year: number): ReadonlySet<string> {
  const easter = easterSunday(year)
  const fixed = ['01-01', '05-01', '10-03', '12-25', '12-26'].map((day) => `${year}-${day}`)
  // Good Friday, Easter Monday, Ascension Day, Whit Monday.
  const moving = [-2, 1, 39, 50].map((offset) => utcDate(easter + offset * dayMs))
  return new Set([...fixed, ...moving])
}

/** The first Sunday after the church's full moon, which falls on 21 March or later; the corrections keep the moon's 19-year cycle in step. */
function easterSunday(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const moonShift = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25)
  const age = (19 * golden + moonShift + 15) % 30
  const daysToFullMoon = age - (age === 29 || (age === 28 && golden > 10) ? 1 : 0)
  const fullMoon = Date.UTC(year, 2, 21 + daysToFullMoon)
  return fullMoon + (7 - new Date(fullMoon).getUTCDay()) * dayMs
}
