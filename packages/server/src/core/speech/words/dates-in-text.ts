import { isGermanOrdinal } from './german-wording.ts'
import type { CalendarDate, Wording } from './wording.ts'
import { mainLanguage } from './main-language.ts'

/** Undefined: no such day. */
export const calendarDate = (day: string | undefined, month: string | undefined, year: string | undefined): CalendarDate | undefined => {
  const date: CalendarDate = {
    ...(day && { day: Number(day) }),
    ...(month && { month: Number(month) }),
    ...(year && { year: year.length === 2 ? 2000 + Number(year) : Number(year) }),
  }
  const { day: d = 1, month: m = 1 } = date
  return d >= 1 && d <= 31 && m >= 1 && m <= 12 ? date : undefined
}

const isoDate = /(?<![\p{L}\d-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\d-])/gu
const dottedDate = /(?<![\p{L}\d.,])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})(?![\d.]))?(?!\d)/gu
const slashedDate = /(?<![\p{L}\d/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\p{L}\d/])/gu
const clock = /(?<![\p{L}\d:.])(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?:\s?(Uhr|a\.m\.|p\.m\.|am|pm|AM|PM)(?!\p{L}))?/gu
const englishHour = /(?<![\p{L}\d:.,])(1[0-2]|0?[1-9])\s?(a\.m\.|p\.m\.|am|pm|AM|PM)(?!\p{L})/gu
const germanHour = /(?<![\p{L}\d:.,])([01]?\d|2[0-4])(?:\.([0-5]\d))?(?= Uhr(?!\p{L}))/gu

const withTimes = (text: string, wording: Wording): string =>
  text.replace(clock, (written, hour: string, minute: string, second: string | undefined, suffix: string | undefined, at: number) => {
    if (Number(hour) > 24) return written
    const half = /^[ap]/i.test(suffix ?? '') ? halfOf(suffix) : {}
    const time = { hour: Number(hour), minute: Number(minute), ...(second && { second: Number(second) }), ...half }
    return wording.time(time) + closing(written, text, at)
  })

/** The dot of "p.m." may end the sentence as well. */
const closing = (written: string, text: string, at: number): string =>
  written.endsWith('.') && /^\s*(?:$|\p{Lu})/u.test(text.slice(at + written.length)) ? '.' : ''

const halfOf = (suffix: string | undefined): { half: 'am' | 'pm' } => ({ half: /^a/i.test(suffix ?? '') ? 'am' : 'pm' })

const withDates = (text: string, pattern: RegExp, order: 'dmy' | 'mdy' | 'ymd', wording: Wording): string =>
  text.replace(pattern, (written, ...parts: (string | undefined)[]) => {
    const part = (name: string): string | undefined => parts[order.indexOf(name)]
    const date = calendarDate(part('d'), part('m'), part('y'))
    // Behind the groups of the match come its place and the whole text.
    return date ? wording.date(date, text.slice(0, Number(parts[3]))) : written
  })

const shortMonths = 'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'
const englishMonth = `(January|February|March|April|May|June|July|August|September|October|November|December|(?:${shortMonths})\\.?)`
const monthFirst = new RegExp(String.raw`(?<!\p{L})${englishMonth} (\d{1,2})(?:st|nd|rd|th)?(?![\d:])(?:,? (\d{4})(?!\d))?`, 'gu')
const dayFirst = new RegExp(String.raw`(?<![\p{L}\d])(\d{1,2})(?:st|nd|rd|th)? (?:of )?${englishMonth}(?!\p{L})(?:,? (\d{4})(?!\d))?`, 'gu')
const englishOrdinal = /(?<![\p{L}\d])(\d{1,9})(?:st|nd|rd|th)(?!\p{L})/gu
const englishYear = new RegExp(
  String.raw`(?<=(?:\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Ff]rom|[Uu]ntil|[Bb]y|of|[Bb]efore|[Aa]fter)|${englishMonth}) )(1[1-9]|20)\d{2}(?![\p{L}\d%€$-]|[.,:]\d|\s?(?:€|EUR|euro|dollar))`,
  'gu',
)

const sayEnglishDates = (text: string, wording: Wording): string => {
  const monthOf = (name: string): string => String(wording.monthNames.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1)
  const say = (written: string, day: string, month: string, year: string | undefined): string => {
    const date = calendarDate(day, monthOf(month), year)
    return date ? wording.date(date, '') : written
  }
  return text
    .replace(monthFirst, (written, month: string, day: string, year?: string) => say(written, day, month, year))
    .replace(dayFirst, (written, day: string, month: string, year?: string) => say(written, day, month, year))
    .replace(englishOrdinal, (_, digits: string) => wording.ordinal(digits, ''))
    .replace(englishYear, (digits) => wording.year(Number(digits)))
    .replace(englishHour, (written, hour: string, suffix: string, at: number, whole: string) => {
      return wording.time({ hour: Number(hour), minute: 0, ...halfOf(suffix) }) + closing(written, whole, at)
    })
}

const germanMonth = '(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)'
const germanOrdinal = /(?<![\p{L}\d.,])(\d{1,4})\. ?(?=(\p{Lu}\p{L}*))/gu
const germanYear = new RegExp(String.raw`(?<=(?:\b(?:Jahr|Jahre|[Ss]eit|[Aa]nno)|${germanMonth}) )1[1-9]\d{2}(?![\p{L}\d])`, 'gu')

const sayGermanDates = (text: string, wording: Wording): string =>
  text
    .replace(germanOrdinal, (written, digits: string, next: string, at: number) => {
      const before = text.slice(0, at)
      return isGermanOrdinal(before, next) ? `${wording.ordinal(digits, before === '' ? 'Tag' : before)} ` : written
    })
    .replace(germanYear, (digits) => wording.year(Number(digits)))
    .replace(germanHour, (_, hour: string, minute: string | undefined) => {
      const words = wording.time({ hour: Number(hour), minute: Number(minute ?? 0) })
      return minute && Number(minute) > 0 ? `${words}\u0000` : words.replace(/ Uhr$/, '')
    })
    .replaceAll('\u0000 Uhr', '')

/** Days and times of day become words. */
export const sayDatesIn = (text: string, wording: Wording, language: string): string => {
  const german = mainLanguage(language) === 'de'
  const iso = withDates(text, isoDate, 'ymd', wording)
  const dotted = withDates(iso, dottedDate, 'dmy', wording)
  const slashed = withDates(dotted, slashedDate, /^en(-US)?$/i.test(language) ? 'mdy' : 'dmy', wording)
  const timed = withTimes(slashed, wording)
  return german ? sayGermanDates(timed, wording) : sayEnglishDates(timed, wording)
}
