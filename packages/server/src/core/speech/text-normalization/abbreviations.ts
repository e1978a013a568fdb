import { mainLanguage } from './main-language.ts'
import { abbreviations } from './abbreviation-tables.ts'
import { isLast } from './numbers-in-text.ts'

/** Also ordinary words: abbreviations only right before a number. */
const onlyBeforeNumbers = new Set([
  'no.',
  'art.',
  'min.',
  'max.',
  'abs.',
  'p.',
  'pp.',
  's.',
  'fig.',
  'vol.',
  'apt.',
  'est.',
  'n.',
  'app.',
  'ch.',
  'ed.',
  'fl.',
  'ref.',
  'bd.',
  'kap.',
  'aufl.',
  'ste.',
  'mo.',
  'anm.',
  'abb.',
])
const onlyBeforeNames = new Set([
  'st.',
  'fr.',
  'mt.',
  'ft.',
  'm.',
  'mm.',
  'd.',
  'gen.',
  'hon.',
  'col.',
  'maj.',
  'rep.',
  'rev.',
  'sen.',
  'pres.',
  'gov.',
  'gem.',
  'lt.',
  'capt.',
  'fa.',
  'ing.',
  'i.a.',
  'i.v.',
])

const isShort = (key: string, next: string): boolean =>
  onlyBeforeNumbers.has(key) ? /\d/.test(next) : onlyBeforeNames.has(key) ? /\p{Lu}/u.test(next) : true

/** Allows a space after each dot: "z. B.". */
const patternFor = (table: Readonly<Record<string, string>>): RegExp => {
  const keys = Object.keys(table)
    .toSorted((a, b) => b.length - a.length)
    .map((key) => key.replace(/\.(?!$)/g, '\\.[ \\u00a0]?').replace(/\.$/, '\\.'))
    .map((key) => (/\p{L}$/u.test(key) ? `${key}(?!\\p{L})` : key))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${keys.join('|')})`, 'giu')
}
const patterns = new Map(Object.entries(abbreviations).map(([language, table]) => [language, patternFor(table)]))

const tableOf = (language: string): Readonly<Record<string, string>> => {
  const main = mainLanguage(language)
  return Object.hasOwn(abbreviations, main) ? (abbreviations[main] ?? {}) : {}
}

const keyOf = (match: string): string => match.replace(/[ \u00a0]/g, '').toLowerCase()

/** Belong to a preceding number: times of day and units. */
const afterNumbers = new Set(['a.m.', 'p.m.', 'ft.', 'min.', 'std.', 'pers.', 'm.'])

export const expandAbbreviations = (text: string, _: unknown, language: string): string => {
  const table = tableOf(language)
  const last = isLast(text)
  return text.replace(patterns.get(mainLanguage(language)) ?? /$^/, (match, at: number) => {
    const key = keyOf(match)
    if (afterNumbers.has(key) && /\d\s?$/.test(text.slice(Math.max(0, at - 2), at))) return match
    const end = at + match.length
    const [next = ''] = /\S/.exec(text.slice(end, end + 10)) ?? []
    const words = isShort(key, next) ? table[key] : key === 'st.' ? 'Street' : undefined
    if (words === undefined) return match
    // Its dot also ends the sentence.
    return match.endsWith('.') && last(end) ? `${words}.` : words
  })
}

/** Often at the end of a sentence: a capital letter after them starts a new one. */
const oftenLast = new Set(['etc.', 'usw.', 'a.m.', 'p.m.', 'inc.', 'ltd.', 'u.a.', 'o.ä.', 'u.ä.', 'str.'])

/** Whether the final dot of `text` belongs to an abbreviation rather than a sentence end. `next`: character after the space. */
export const endsWithAbbreviation = (text: string, next: string, language: string): boolean => {
  const end = text.slice(-20)
  const letters = /(?<![\p{L}\p{N}])(?:\p{L}\.[ \u00a0]?)*\p{L}\.$/u.exec(end)?.[0]
  const key = keyOf(letters ?? /(?<![\p{L}\p{N}])\p{L}{2,6}\.$/u.exec(end)?.[0] ?? '')
  if (!isShort(key, next)) return /^\p{Lu}\.$/u.test(letters ?? '') && /\p{Lu}/u.test(next)
  if (oftenLast.has(key)) return !/\p{Lu}/u.test(next)
  // Initials: "J. Smith", "z. B."
  if (letters !== undefined) return next !== ''
  return Object.hasOwn(tableOf(language), key)
}
