import { expandAbbreviations } from '../abbreviations.ts'
import { mainLanguage } from '../main-language.ts'
import { calendarDate } from '../wording.ts'
import { french } from './french.ts'
import { italian } from './italian.ts'
import type { Rewording } from './rewording.ts'
import { spanish } from './spanish.ts'

const rewordings: ReadonlyMap<string, Rewording> = new Map(Object.entries({ fr: french, es: spanish, it: italian }))

const address =
  /(?<![\w.+@-])(?:https?:\/\/)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,10}|(?:[\w-]{1,63}\.){1,4}(?:com|org|net|info|eu|de|ch|fr|be|ca|it|es|mx|ar|example)(?:\/[\w/.-]{0,60}\w)?)(?![\w@])/g
const isoDate = /(?<![\p{L}\d-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\d-])/gu
const writtenDate = /(?<![\p{L}\d/.])(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d{2})(?![\p{L}\d/])/gu
const time = /(?<![\p{L}\d:.])([01]?\d|2[0-4])(?: ?h ?|:)([0-5]\d)(?![\p{L}\d:])/gu
const amount = String.raw`(\d{1,3}(?:[. \u00a0\u202f]\d{3})+|\d+)(?:[,.](\d{2})(?!\d))?`
const mark = String.raw`(€|\$|£|EUR|USD|GBP|CHF)`
const markLast = new RegExp(String.raw`(?<![\p{L}\d.,])${amount}\s?${mark}(?!\p{L})`, 'gu')
const markFirst = new RegExp(String.raw`(?<![\p{L}\d])${mark}\s?${amount}(?![\d])`, 'gu')
const phone = /(?<![\p{L}\d.,])(?:\+\d{1,3}[ .-]?|0)\d[\d .()-]{5,18}\d(?![\d,]\d|\d)/gu
const code = /(?<![\p{L}\p{N}-])(?=[\p{Lu}-]{0,12}\d|\d)(?=[\d-]{0,12}\p{Lu})[\p{Lu}\d]{1,12}(?:-[\p{Lu}\d]{1,12}){0,4}(?![\p{L}\p{N}-])/gu
const spacedCode = /(?<![\p{L}\p{N}-])(?!EUR|USD|GBP|CHF)(\p{Lu}{2,3}) (\d{3,5})(?![\p{L}\p{N}%€$£]|[.,:]\d)/gu
const range = /(?<![\p{L}\d.,:/-])(\d{1,4}) ?[–-] ?(?=\d{1,4}(?![\p{L}\d-]))/gu

/** What is written for eyes, for voices that know their numbers; other languages stay as they are. */
export const reworded = (text: string, language: string): string => {
  const words = rewordings.get(mainLanguage(language))
  return words ? readers.reduce((rest, reader) => reader(rest, words), expandAbbreviations(text, words, language)) : text
}

const spelled = (text: string): string => Array.from(text.replace(/[^\p{L}\p{N}]/gu, '')).join(' ')

const rewordAddresses = (text: string, { marks }: Rewording): string =>
  text.replace(address, (_, written: string) =>
    written
      .replace(/^www\./, 'W W W.')
      .replace(/(?<=\.)[a-z]{2}(?=$|\/)/, (country) => spelled(country.toUpperCase()))
      .replace(/[.@/_+-]/g, (sign) => ` ${marks[sign as keyof typeof marks]} `),
  )

const rewordDates = (text: string, words: Rewording): string => {
  const say = (written: string, day: string, month: string, year: string): string => {
    const date = calendarDate(day, month, year)
    return date ? words.date(Number(day), words.months[Number(month) - 1] ?? '', String(date.year)) : written
  }
  return text
    .replace(isoDate, (written, year: string, month: string, day: string) => say(written, day, month, year))
    .replace(writtenDate, (written, day: string, _: string, month: string, year: string) => say(written, day, month, year))
}

const rewordTimes = (text: string, words: Rewording): string =>
  text.replace(time, (_, hour: string, minute: string) => words.time(Number(hour), minute))

const rewordMoney = (text: string, words: Rewording): string => {
  const say = (whole: string, cents: string | undefined, sign: string): string => {
    const [one, many] = words.currencies[sign] ?? [sign, sign]
    const number = whole.replace(/\D/g, '')
    return words.money(number, cents === '00' ? undefined : cents, number === '1' ? one : many)
  }
  return text
    .replace(markLast, (_, whole: string, cents: string | undefined, sign: string) => say(whole, cents, sign))
    .replace(markFirst, (_, sign: string, whole: string, cents: string | undefined) => say(whole, cents, sign))
}

const rewordPhones = (text: string, { phoneDigits, marks }: Rewording): string =>
  text.replace(phone, (written) => {
    const plus = written.startsWith('+') ? `${marks['+']} ` : ''
    const groups = written.replace(/\(0\)/, ' ').match(/\d+/g) ?? []
    return plus + groups.map((group) => (phoneDigits === 2 ? inPairs(group) : spelled(group))).join(', ')
  })

/** The French say numbers of two digits: zéro un, vingt-trois. */
const inPairs = (digits: string): string => (digits.match(digits.length % 2 === 0 ? /\d\d/g : /^\d|\d\d/g) ?? []).join(', ')

const rewordCodes = (text: string): string => text.replace(spacedCode, spelled).replace(code, spelled)

const unitPatterns = new Map<Rewording, RegExp>()

const rewordUnits = (text: string, words: Rewording): string => {
  let pattern = unitPatterns.get(words)
  if (!pattern) {
    const names = Object.keys(words.units).toSorted((a, b) => b.length - a.length)
    pattern = new RegExp(String.raw`(?<![\p{L}\d])(\d{1,9}(?:[.,]\d{1,9})?)\s?(${names.join('|')})(?![\p{L}\p{N}²³])`, 'gu')
    unitPatterns.set(words, pattern)
  }
  return text
    .replace(pattern, (_, number: string, unit: string) => `${number} ${words.units[unit]?.[number === '1' ? 0 : 1] ?? unit}`)
    .replace(/(?<=\d)\s?%/g, ` ${words.percent}`)
}

const single = /(?<![\p{L}\d]|[\d.,:+-] ?)1 (\p{Ll}{3,30})(?!\p{L})/gu

/** One of something; the first of a month. */
const rewordOne = (text: string, words: Rewording): string =>
  text.replace(single, (_, counted: string) => {
    if (words.months.includes(counted)) return words.date(1, counted, undefined)
    return `${words.one(counted)} ${counted}`.replace('’ ', '’')
  })

const rewordRest = (text: string, words: Rewording): string =>
  text
    .replace(range, `$1 ${words.to} `)
    .replace(/ ?& ?/g, ` ${words.and} `)
    .replace(/[_<>|\\{}^~#©®™]/g, ' ')

/** What is surer comes first. */
const readers: readonly ((text: string, words: Rewording) => string)[] = [
  rewordAddresses,
  rewordDates,
  rewordTimes,
  rewordMoney,
  rewordPhones,
  rewordUnits,
  rewordOne,
  rewordCodes,
  rewordRest,
]
