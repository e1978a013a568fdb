import { addDays, localDay } from '#core/kernel/local-day.ts'

interface Listening {
  /** BCP 47. */
  language: string
  timeZone: string
  now: number
}

/** Times as people say them: tomorrow, Friday, at 9:30 am. */
export const spokenTime = (at: number, listening: Listening): string => {
  const { day, time } = spokenParts(at, listening)
  return isGerman(listening) ? `${day} um ${time}` : isEnglish(listening) ? `${day} at ${time}` : `${day}, ${time}`
}

/** Several times, grouped by day, in one sentence without a full stop. */
export const spokenTimes = (times: readonly number[], listening: Listening): string => {
  const byDay = new Map<string, string[]>()
  for (const at of times) {
    const { day, time } = spokenParts(at, listening)
    byDay.set(day, [...(byDay.get(day) ?? []), time])
  }
  const or = new Intl.ListFormat(knownLanguage(listening.language), { type: 'disjunction' })
  const at = isGerman(listening) ? ' um ' : isEnglish(listening) ? ' at ' : ', '
  return [...byDay].map(([day, all]) => `${day}${at}${or.format(all)}`).join('; ')
}

const isGerman = ({ language }: Listening): boolean => /^de\b/i.test(language)
const isEnglish = ({ language }: Listening): boolean => /^en\b/i.test(language)

/** English for what the runtime does not know. */
const knownLanguage = (language: string): string => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? 'en-US'
  } catch {
    return 'en-US'
  }
}

const near = { de: ['heute', 'morgen', 'übermorgen'], en: ['today', 'tomorrow'] } as const

const spokenParts = (at: number, listening: Listening): { day: string; time: string } => {
  const { language, timeZone, now } = listening
  const date = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(knownLanguage(language), { timeZone, ...options }).format(at)
  const today = localDay(now, timeZone)
  const daysAhead = [0, 1, 2].find((days) => addDays(today, days) === localDay(at, timeZone))
  const weekday = date({ weekday: 'long' })
  if (isGerman(listening)) {
    const soon = daysAhead === undefined ? undefined : near.de[daysAhead]
    const [hour = '', minute = '00'] = date({ hour: 'numeric', minute: '2-digit', hourCycle: 'h23' }).split(':')
    const time = `${Number(hour)} Uhr${minute === '00' ? '' : ` ${Number(minute)}`}`
    const day = date({ day: 'numeric', month: 'long' })
    return { day: soon === 'heute' ? soon : soon ? `${soon}, ${weekday},` : `${weekday}, den ${day},`, time }
  }
  if (isEnglish(listening)) {
    const soon = daysAhead === undefined ? undefined : near.en[daysAhead]
    const [clock = '', half = ''] = new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', minute: '2-digit' })
      .format(at)
      .split(/\s/)
    const time = `${clock.replace(':00', '')} ${half.toLowerCase()}`
    return {
      day: soon === 'today' ? soon : `${soon ? `${soon}, ${weekday}` : date({ weekday: 'long', day: 'numeric', month: 'long' })},`,
      time,
    }
  }
  return { day: date({ weekday: 'long', day: 'numeric', month: 'long' }), time: date({ hour: 'numeric', minute: '2-digit' }) }
}
