import { calendarDate, type Wording } from './wording.ts'
import { closing, halfOf } from './times-in-text.ts'

const shortMonths = 'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'
const month = `(January|February|March|April|May|June|July|August|September|October|November|December|(?:${shortMonths})\\.?)`
const day = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const ofYear = String.raw`(?:,? (\d{4})(?!\d))?`
const monthFirst = new RegExp(
  String.raw`(?<!\p{L})${month} ${day}(?![\d:])(?: ?(?:[–-]|to) ?${day}(?![\d:.,\p{L}-]\d|\d|\p{L}))?${ofYear}`,
  'gu',
)
const dayFirst = new RegExp(String.raw`(?<![\p{L}\d])${day} (of )?${month}(?!\p{L})${ofYear}`, 'gu')
const ordinal = /(?<![\p{L}\d])(\d{1,9})(?:st|nd|rd|th)(?!\p{L})/gu
const announcing = String.raw`\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Ff]rom|[Bb]etween|[Uu]ntil|[Bb]y|of|Q[1-4]|[Bb]efore|[Aa]fter|[Ee]stablished|(?:1[1-9]|20)\d{2} (?:to|and|until)) |©\s?|${month} `
const year = new RegExp(String.raw`(?<=${announcing})(?:1[0-9]|20)\d{2}(?![\p{L}\d%€$-]|[.,:]\d|\s?(?:€|EUR|euro|dollar))`, 'gu')
const decade = /(?<![\p{L}\d])(?:(?:1[1-9]|20)\d0|['’]?[2-9]0)s(?!\p{L})/gu
const slashedDay = /(?<=\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Bb]efore|[Aa]fter|[Ff]rom) )(\d{1,2})\/(\d{1,2})(?![\p{L}\d/])/gu
const hour = /(?<![\p{L}\d:.,])(1[0-2]|0?[1-9])\s?(a\.m\.|p\.m\.|am|pm|AM|PM)(?!\p{L})/gu

const untilMonth = new RegExp(String.raw`(?<=\d(?:st|nd|rd|th)?) ?[–-] ?(?=${month} \d)`, 'gu')

/** `language`: Americans write the month first. */
export const sayEnglishDates = (text: string, wording: Wording, language: string): string =>
  text
    .replace(untilMonth, ` ${wording.to} `)
    .replace(monthFirst, (written, name: string, from: string, until: string | undefined, of: string | undefined) => {
      const [first, last] = [calendarDate(from, monthOf(name, wording), undefined), calendarDate(until, undefined, undefined)]
      if (!first || !last) return written
      const days = wording.date(first, '') + (until === undefined ? '' : ` ${wording.to} ${wording.ordinal(until, '')}`)
      return of === undefined ? days : `${days}, ${wording.year(Number(of))}`
    })
    .replace(dayFirst, (written, of: string, formal: string | undefined, name: string, ofTheYear: string | undefined) => {
      const date = calendarDate(of, monthOf(name, wording), ofTheYear)
      if (!date) return written
      if (formal === undefined) return wording.date(date, '')
      const named = `${wording.ordinal(of, '')} of ${wording.monthNames[(date.month ?? 1) - 1]}`
      return date.year === undefined ? named : `${named}, ${wording.year(date.year)}`
    })
    .replace(ordinal, (_, digits: string) => wording.ordinal(digits, ''))
    .replace(year, (digits) => wording.year(Number(digits)))
    .replace(decade, (written) => wording.decade(written.replace(/\D/g, '')))
    .replace(slashedDay, (written, one: string, other: string) => {
      const date = /^en(-US)?$/i.test(language) ? calendarDate(other, one, undefined) : calendarDate(one, other, undefined)
      return date ? wording.date(date, '') : written
    })
    .replace(hour, (written, of: string, suffix: string, at: number, whole: string) => {
      return wording.time({ hour: Number(of), minute: 0, ...halfOf(suffix) }) + closing(written, whole, at)
    })

const monthOf = (name: string, { monthNames }: Wording): string =>
  String(monthNames.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1)
