import { isFeminine, isGermanOrdinal, isNeuter } from './german-wording.ts'
import { justBefore } from './numbers-in-text.ts'
import type { Wording } from './wording.ts'

const month = '(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)'
const shortMonth = /(?<=\d\. ?)(Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)(?:\.|(?!\p{L}))/gu
const ordinal = /(?<![\p{L}\d.,])(\d{1,3}(?:\.\d{3})+|\d{1,4})\. ?(?=(\p{L}+))/gu
/** Am 15., zum 1. */
const lastDay = /(?<=(?<!\p{L})(?:am|zum|vom) )(\d{1,2})\.(?=\s*$|[,;!?)])/giu
/** First of two days: "vom 3. bis 5. Mai". */
const firstOfTwo = new RegExp(
  String.raw`(?<![\p{L}\d.,])(\d{1,2})\. ?(?=(?:[–-]|bis|und|oder) ?(?:zum |zur )?\d{1,2}\. ?(?:${month}|\p{Lu}\p{Ll}))`,
  'gu',
)
const between = new RegExp(String.raw`(?<=\p{L} ) ?[–-] ?(?=\d{1,2}\. ?${month})`, 'gu')
const year = new RegExp(String.raw`(?<=(?:\b(?:Jahr|Jahre|[Ss]eit|[Aa]nno)|${month}) )1[1-9]\d{2}(?![\p{L}\d])`, 'gu')
const decade = /(?<![\p{L}\d.,])(\d{2}|\d{4})er(?!\p{L})/gu
const hour = /(?<![\p{L}\d:.,])([01]?\d|2[0-4])(?:\.([0-5]\d))?( Uhr)(?!\p{L})/gu
const firstHour = /(?<![\p{L}\d:.,])([01]?\d|2[0-4])\.([0-5]\d)(?= (?:bis|und|oder) (?:[01]?\d|2[0-4])(?:[.:][0-5]\d)? Uhr)/gu

export const sayGermanDates = (text: string, wording: Wording): string => {
  const monthsNamed = text.replace(shortMonth, (short) => wording.monthNames.find((name) => name.startsWith(short.slice(0, 3))) ?? short)
  const twoDays = monthsNamed
    .replace(firstOfTwo, (_, digits: string, at: number) => `${sayOrdinal(digits, monthsNamed, at, wording)} `)
    .replace(between, `${wording.to} `)
  return twoDays
    .replace(ordinal, (written, digits: string, next: string, at: number) =>
      isGermanOrdinal(justBefore(twoDays, at), next) ? `${sayOrdinal(digits.replace('.', ''), twoDays, at, wording, next)} ` : written,
    )
    .replace(
      lastDay,
      (_, digits: string, at: number, whole: string) =>
        `${wording.ordinal(digits, 'am')}${/^\s*$/.test(whole.slice(at + digits.length + 1, at + 30)) ? '.' : ''}`,
    )
    .replace(year, (digits) => wording.year(Number(digits)))
    .replace(decade, (_, digits: string) => wording.decade(digits))
    .replace(firstHour, (_, of: string, minute: string) => wording.time({ hour: Number(of), minute: Number(minute) }))
    .replace(hour, (_, of: string, minute: string | undefined) => wording.time({ hour: Number(of), minute: Number(minute ?? 0) }))
}

/** At the start of a text or clause it is nominative: "erster Mai", "dritte Etage". */
const sayOrdinal = (digits: string, text: string, at: number, wording: Wording, next = ''): string => {
  const before = justBefore(text, at)
  const starts = /(?:^|[,;:])\s*$/.test(before)
  const said = starts ? wording.ordinal(digits, isFeminine(next) ? '' : 'Tag') : wording.ordinal(digits, before)
  return isNeuter(next) ? said.replace(/er$/, 'es') : said
}

/** A half before a noun. */
const half = /(?<![\p{L}\d]|\d )(?:½|1\/2) (?=(\p{Lu}\p{L}+))/gu

export const sayGermanHalvesIn = (text: string): string =>
  text.replace(
    half,
    (_, noun: string) =>
      `${isFeminine(noun) ? 'eine halbe' : /(?:Jahr|Kilo|Pfund|Dutzend|Kilogramm|Glas)$/.test(noun) ? 'ein halbes' : 'ein halber'} `,
  )

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
