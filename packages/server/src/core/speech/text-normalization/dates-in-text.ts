import { sayGermanDates } from './german-dates.ts'
import { mainLanguage } from './main-language.ts'
import { isLast, justBefore } from './numbers-in-text.ts'
import { calendarDate, type Wording } from './wording.ts'

const isoDate = /(?<![\p{L}\d-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\d-])/gu
const isoTime = /(?<=\d{4}-\d{2}-\d{2})T(?=\d{2}:\d{2})/g
/** Fractions of a second, and the zone: 09:30:00.000Z, 09:30+02:00. */
const isoZone = /(?<=(?<!\d)\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?(?:(Z)|([+-])(\d{2}):?(\d{2}))(?![\p{L}\d:])/gu
const dottedDate = /(?<![\p{L}\d.,])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})(?!\d|\.\d))?(?!\d)/gu
const slashedDate = /(?<![\p{L}\d/-])(\d{1,2})(?:\/(?=\d{1,2}\/)|-(?=\d{1,2}-(?:19|20)\d{2}))(\d{1,2})[/-](\d{4}|\d{2})(?![\p{L}\d/-])/gu

const withDates = (text: string, pattern: RegExp, order: 'dmy' | 'mdy' | 'ymd', wording: Wording): string => {
  const last = isLast(text)
  return text.replace(pattern, (written, ...parts: (string | undefined)[]) => {
    const part = (name: string): string | undefined => parts[order.indexOf(name)]
    const date = calendarDate(part('d'), part('m'), part('y'))
    // The groups of the match are followed by its position and the whole text.
    if (!date) return written
    const at = Number(parts[3])
    // The dot of "3.4." ends the sentence as well.
    const end = written.endsWith('.') && last(at + written.length) ? '.' : ''
    return wording.date(date, justBefore(text, at)) + end
  })
}

/** Converts dates and times of day to words. */
export const sayDatesIn = (text: string, wording: Wording, language: string): string => {
  const iso = withDates(text.replace(isoTime, ', '), isoDate, 'ymd', wording)
  const dotted = withDates(iso, dottedDate, 'dmy', wording)
  const slashed = withDates(dotted, slashedDate, /^en(-US)?$/i.test(language) ? 'mdy' : 'dmy', wording)
  const timed = sayTimesIn(
    slashed.replace(isoZone, (_, ...parts: string[]) => zoned(parts, wording)),
    wording,
  )
  return mainLanguage(language) === 'de' ? sayGermanDates(timed, wording) : sayEnglishDates(timed, wording, language)
}

/** Whole hours of the zone are enough: others are rare. */
const zoned = ([seconds = '', z, sign, hours = '0']: readonly (string | undefined)[], wording: Wording): string => {
  const clock = `${seconds === ':00' ? '' : seconds} ${Array.from('UTC', (letter) => wording.letter(letter)).join(' ')}`
  const ahead = Number(hours)
  return z !== undefined || ahead === 0 ? clock : `${clock} ${wording.symbols[sign === '-' ? '-' : '+']} ${wording.cardinal(String(ahead))}`
}

const shortMonths = 'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'
const month = `(January|February|March|April|May|June|July|August|September|October|November|December|(?:${shortMonths})\\.?)`
const day = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const ofYear = String.raw`(?:,? (\d{4})(?!\d))?`
const monthFirst = new RegExp(
  String.raw`(?<!\p{L})${month} ${day}(?![\d:])(?: ?(?:[–-]|to) ?${day}(?![\d:.,\p{L}-]\d|\d|\p{L}))?${ofYear}`,
  'gu',
)
const dayFirst = new RegExp(String.raw`(?<![\p{L}\d])${day} (of )?${month}(?!\p{L})${ofYear}`, 'gu')
const ordinal = /(?<![\p{L}\d.,])(\d{1,3}(?:,\d{3})+|\d{1,9})(?:st|nd|rd|th)(?!\p{L})/gu
/** Five 9s, 100s of people. */
const severalNumbers = /(?<![\p{L}\d.,])(\d|10|100|1000)s(?!\p{L})/gu
const announcing = String.raw`\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Ff]rom|[Bb]etween|[Uu]ntil|[Bb]y|of|Q[1-4]|[Bb]efore|[Aa]fter|[Ee]stablished|[Bb]orn|[Ss]ummer|[Ww]inter|[Ss]pring|[Aa]utumn|[Ss]eason|(?:1[1-9]|20)\d{2} (?:to|and|until)) |©\s?|${month} `
const year = new RegExp(String.raw`(?<=${announcing})(?:1[0-9]|20)\d{2}(?![\p{L}\d%€$-]|[.,:]\d|\s?(?:€|EUR|euro|dollar))`, 'gu')
const decade = /(?<![\p{L}\d])(?:(?:1[1-9]|20)\d0|['’]?[2-9]0)s(?!\p{L})/gu
const slashedDay = /(?<=\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Bb]efore|[Aa]fter|[Ff]rom) )(\d{1,2})\/(\d{1,2})(?![\p{L}\d/])/gu
const hour = /(?<![\p{L}\d:.,])(1[0-2]|0?[1-9])\s?(a\.m\.|p\.m\.|am|pm|AM|PM)(?!\p{L})/gu

const untilMonth = new RegExp(String.raw`(?<=\d(?:st|nd|rd|th)?) ?[–-] ?(?=${month} \d)`, 'gu')

/** `language`: Americans write the month first. */
const sayEnglishDates = (text: string, wording: Wording, language: string): string =>
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
    .replace(ordinal, (_, digits: string) => wording.ordinal(digits.replaceAll(',', ''), ''))
    .replace(year, (digits) => wording.year(Number(digits)))
    .replace(severalNumbers, (_, digits: string) => several(digits, wording))
    .replace(decade, (written) => wording.decade(written.replace(/\D/g, '')))
    .replace(slashedDay, (written, one: string, other: string) => {
      const date = /^en(-US)?$/i.test(language) ? calendarDate(other, one, undefined) : calendarDate(one, other, undefined)
      return date ? wording.date(date, '') : written
    })
    .replace(hour, (written, of: string, suffix: string, at: number, whole: string) => {
      return wording.time({ hour: Number(of), minute: 0, ...halfOf(suffix) }) + closing(written, whole, at)
    })

const several = (digits: string, wording: Wording): string => {
  const word = wording.cardinal(digits).replace(/^one /, '')
  return word.endsWith('x') ? `${word}es` : `${word}s`
}

const monthOf = (name: string, { monthNames }: Wording): string =>
  String(monthNames.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1)

const clock = /(?<![\p{L}\d:.])(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?:\s?(Uhr|h|a\.m\.|p\.m\.|am|pm|AM|PM)(?!\p{L}))?/gu

const sayTimesIn = (text: string, wording: Wording): string =>
  text.replace(clock, (written, hour: string, minute: string, second: string | undefined, suffix: string | undefined, at: number) => {
    if (Number(hour) > 24) return written
    const half = /^[ap]/i.test(suffix ?? '') ? halfOf(suffix) : {}
    const time = { hour: Number(hour), minute: Number(minute), ...(second && { second: Number(second) }), ...half }
    return wording.time(time) + closing(written, text, at)
  })

/** The dot of "p.m." may end the sentence as well. */
const closing = (written: string, text: string, at: number): string => {
  const end = at + written.length
  return written.endsWith('.') && /^\s*(?:$|\p{Lu})/u.test(text.slice(end, end + 40)) ? '.' : ''
}

const halfOf = (suffix: string | undefined): { half: 'am' | 'pm' } => ({ half: /^a/i.test(suffix ?? '') ? 'am' : 'pm' })

interface Patterns {
  range: RegExp
  alone: RegExp
}
const patterns = new Map<Wording, Patterns>()

const patternsOf = (wording: Wording): Patterns => {
  let found = patterns.get(wording)
  if (!found) {
    const short = Object.keys(wording.weekdays)
      .toSorted((a, b) => b.length - a.length)
      .join('|')
    found = {
      range: new RegExp(String.raw`(?<![\p{L}\p{N}-])(${short})\.? ?[–-] ?(${short})(?![\p{L}\p{N}-])(\.?)`, 'gu'),
      // With a dot, unless a name follows as after Frau; or before a time, or a comma and a date.
      alone: new RegExp(
        String.raw`(?<![\p{L}\p{N}])(${short})(?:(\.)(?! \p{Lu})|(?=, (?:\d|\p{Lu}\p{Ll}{2,8}\.? \d))|(?= \d{1,2}(?::\d| ?[–-] ?\d| ?(?:Uhr|[ap]m|to|bis)(?!\p{L}))))`,
        'gu',
      ),
    }
    patterns.set(wording, found)
  }
  return found
}

/** Mo.–Fr., Thu. */
export const sayWeekdaysIn = (text: string, wording: Wording): string => {
  const { range, alone } = patternsOf(wording)
  const names = wording.weekdays
  const said = text.replace(range, (all, from: string, until: string, dot: string, at: number, whole: string) => {
    return `${names[from]} ${wording.to} ${names[until]}${dot !== '' && isLast(whole)(at + all.length) ? '.' : ''}`
  })
  const last = isLast(said)
  return said.replace(alone, (all, short: string, dot: string | undefined, at: number) => {
    return `${names[short]}${dot !== undefined && last(at + all.length) ? '.' : ''}`
  })
}
