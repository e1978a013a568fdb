import { isShort, abbreviations } from '../abbreviations/abbreviation-table.ts'
import { mainLanguage } from './main-language.ts'
import { isLast } from './places.ts'

/** Without a dot at their end; written exactly so. */
const shortForms: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/(?<![\p{L}\p{N}])w\/o(?!\p{L})/gu, 'without'],
    [/(?<![\p{L}\p{N}])c\/o(?!\p{L})/gu, 'care of'],
  ],
  de: [
    [/(?<![\p{L}\p{N}])GmbH(?!\p{L})/gu, 'G M B H'],
    [/(?<![\p{L}\p{N}])GbR(?!\p{L})/gu, 'G B R'],
    [/(?<![\p{L}\p{N}])Kfz(?!\p{L})/gu, 'K F Z'],
    [/(?<![\p{L}\p{N}])Pkw(?!\p{L})/gu, 'P K W'],
    [/(?<![\p{L}\p{N}])Lkw(?!\p{L})/gu, 'L K W'],
    [/(?<![\p{L}\p{N}])c\/o(?!\p{L})/gu, 'bei'],
    [/(?<![\p{L}\p{N}])PLZ(?!\p{L})/gu, 'Postleitzahl'],
    [/(?<![\p{L}\p{N}])KW(?= \d)/gu, 'Kalenderwoche'],
    // Glued to a name.
    [/(?<=\p{Ll}{2})str(?:\.|(?= \d))/gu, 'straße'],
    [/(?<=\p{Ll}{3})pl\.(?= \d)/gu, 'platz'],
  ],
}

/** Before numbers are looked at: what is long tells more about them. */
export const writeOutShortForms = (text: string, _: unknown, language: string): string =>
  (shortForms[mainLanguage(language)] ?? []).reduce((rest, [short, words]) => rest.replace(short, words), text)

/** After each dot there may be a gap: "z. B.". */
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

/** After a number they belong to it: times of day and units. */
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

/** Often the last words of a sentence: a capital letter after them starts a new one. */
const oftenLast = new Set(['etc.', 'usw.', 'a.m.', 'p.m.', 'inc.', 'ltd.', 'u.a.', 'o.ä.', 'u.ä.', 'str.'])

/** Whether the dot that `text` ends with belongs to a short word, and no sentence ends there. `next`: the character after the gap. */
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
