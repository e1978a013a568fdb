import { isFeminine, isGermanOrdinal } from './german-wording.ts'
import { justBefore } from './numbers-in-text.ts'
import type { Wording } from './wording.ts'

const month = '(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)'
const shortMonth = /(?<=\d\. ?)(Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)(?:\.|(?!\p{L}))/gu
const ordinal = /(?<![\p{L}\d.,])(\d{1,4})\. ?(?=(\p{Lu}\p{L}*))/gu
/** First of two days: "vom 3. bis 5. Mai". */
const firstOfTwo = new RegExp(String.raw`(?<![\p{L}\d.,])(\d{1,2})\. ?(?=(?:[–-]|bis|und|oder) ?(?:zum )?\d{1,2}\. ?${month})`, 'gu')
const between = new RegExp(String.raw`(?<=\p{L} ) ?[–-] ?(?=\d{1,2}\. ?${month})`, 'gu')
const year = new RegExp(String.raw`(?<=(?:\b(?:Jahr|Jahre|[Ss]eit|[Aa]nno)|${month}) )1[1-9]\d{2}(?![\p{L}\d])`, 'gu')
const decade = /(?<![\p{L}\d.,])(\d{2}|\d{4})er(?!\p{L})/gu
const hour = /(?<![\p{L}\d:.,])([01]?\d|2[0-4])(?:\.([0-5]\d))?( Uhr)(?!\p{L})/gu

export const sayGermanDates = (text: string, wording: Wording): string => {
  const monthsNamed = text.replace(shortMonth, (short) => wording.monthNames.find((name) => name.startsWith(short.slice(0, 3))) ?? short)
  const twoDays = monthsNamed
    .replace(firstOfTwo, (_, digits: string, at: number) => `${sayOrdinal(digits, monthsNamed, at, wording)} `)
    .replace(between, `${wording.to} `)
  return twoDays
    .replace(ordinal, (written, digits: string, next: string, at: number) =>
      isGermanOrdinal(justBefore(twoDays, at), next) ? `${sayOrdinal(digits, twoDays, at, wording, next)} ` : written,
    )
    .replace(year, (digits) => wording.year(Number(digits)))
    .replace(decade, (_, digits: string) => wording.decade(digits))
    .replace(hour, (_, of: string, minute: string | undefined) => wording.time({ hour: Number(of), minute: Number(minute ?? 0) }))
}

/** At the start of a text or clause it is nominative: "erster Mai", "dritte Etage". */
const sayOrdinal = (digits: string, text: string, at: number, wording: Wording, next = ''): string => {
  const before = justBefore(text, at)
  return /(?:^|[,;:])\s*$/.test(before) ? wording.ordinal(digits, isFeminine(next) ? '' : 'Tag') : wording.ordinal(digits, before)
}

const times = /(?<![\p{L}\d.,])(\d{1,3})(?:x|-mal|-fach)(?!\p{L}| ?\d)/gu
const withAdjective = /(?<![\p{L}\d.,])(\d{1,3})-(?=\p{Ll}{2})/gu
const withNouns = /(?<![\p{L}\d.,-])(\d{1,3})-(\p{Lu}\p{L}{2,}(?:-\p{Lu}\p{L}+)*)/gu

/** Numbers as prefix of a word: 3-jährig, 5-mal, 24-Stunden-Service. */
export const sayGermanCompoundsIn = (text: string, wording: Wording): string =>
  text
    .replace(times, (written, digits: string) => `${glued(digits, wording)}${written.endsWith('fach') ? 'fach' : 'mal'}`)
    .replace(withAdjective, (_, digits: string) => glued(digits, wording))
    .replace(withNouns, (_, digits: string, nouns: string) => `${wording.cardinal(digits)} ${nouns.replaceAll('-', ' ')}`)

const glued = (digits: string, wording: Wording): string => (digits === '1' ? 'ein' : wording.cardinal(digits))
