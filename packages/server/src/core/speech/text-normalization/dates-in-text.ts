import { sayEnglishDates } from './english-dates.ts'
import { sayGermanDates } from './german-dates.ts'
import { mainLanguage } from './main-language.ts'
import { isLast, justBefore } from './places.ts'
import { sayTimesIn } from './times-in-text.ts'
import { calendarDate, type Wording } from './wording.ts'

const isoDate = /(?<![\p{L}\d-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\d-])/gu
const isoTime = /(?<=\d{4}-\d{2}-\d{2})T(?=\d{2}:\d{2})/g
const dottedDate = /(?<![\p{L}\d.,])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})(?!\d|\.\d))?(?!\d)/gu
const slashedDate = /(?<![\p{L}\d/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\p{L}\d/])/gu

const withDates = (text: string, pattern: RegExp, order: 'dmy' | 'mdy' | 'ymd', wording: Wording): string => {
  const last = isLast(text)
  return text.replace(pattern, (written, ...parts: (string | undefined)[]) => {
    const part = (name: string): string | undefined => parts[order.indexOf(name)]
    const date = calendarDate(part('d'), part('m'), part('y'))
    // Behind the groups of the match come its place and the whole text.
    if (!date) return written
    const at = Number(parts[3])
    // The dot of "3.4." ends the sentence as well.
    const end = written.endsWith('.') && last(at + written.length) ? '.' : ''
    return wording.date(date, justBefore(text, at)) + end
  })
}

/** Days and times of day become words. */
export const sayDatesIn = (text: string, wording: Wording, language: string): string => {
  const iso = withDates(text.replace(isoTime, ', '), isoDate, 'ymd', wording)
  const dotted = withDates(iso, dottedDate, 'dmy', wording)
  const slashed = withDates(dotted, slashedDate, /^en(-US)?$/i.test(language) ? 'mdy' : 'dmy', wording)
  const timed = sayTimesIn(slashed, wording)
  return mainLanguage(language) === 'de' ? sayGermanDates(timed, wording) : sayEnglishDates(timed, wording, language)
}
