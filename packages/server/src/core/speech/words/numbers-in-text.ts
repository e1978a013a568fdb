import { digitByDigit, type Currency, type Wording } from './wording.ts'

/** Written numbers, in either language's way. */
const amount = String.raw`\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,9})?|\d+(?:[.,]\d{1,9})?`
const notInside = String.raw`(?<![\p{L}\d]|\d[.,])`

const currencyMarks: Record<string, Currency> = {
  '€': 'EUR',
  EUR: 'EUR',
  Euro: 'EUR',
  euros: 'EUR',
  $: 'USD',
  USD: 'USD',
  Dollar: 'USD',
  dollars: 'USD',
  '£': 'GBP',
  GBP: 'GBP',
  CHF: 'CHF',
  Franken: 'CHF',
}
const mark = String.raw`(?:€|\$|£|EUR|USD|GBP|CHF)`
const scale = String.raw`(?:\s?(million|billion|Millionen|Milliarden|Million|Milliarde)(?!\p{L}))?`
const moneyBehind = new RegExp(`${notInside}(${mark})\\s?(${amount})${scale}`, 'gu')
const moneyAhead = new RegExp(`${notInside}(${amount})${scale}\\s?(${mark}|Euro|euros|Dollar|dollars|Franken)(?!\\p{L})`, 'gu')

interface Amount {
  whole: string
  fraction?: string
  /** Written before the fraction. */
  mark?: string
}

const readAmount = (written: string, { thousandsMark }: Wording): Amount => {
  const place = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','))
  if (place < 0) return { whole: written }
  const whole = written.slice(0, place).replace(/[.,]/g, '')
  const fraction = written.slice(place + 1)
  const mark = written.charAt(place)
  const repeated = written.indexOf(mark) < place
  return fraction.length === 3 && (mark === thousandsMark || repeated) ? { whole: whole + fraction } : { whole, fraction, mark }
}

export const sayAmount = (written: string, wording: Wording, counted = ''): string => {
  const { whole, fraction, mark } = readAmount(written, wording)
  if (fraction === undefined) return wording.count(whole, counted)
  // The mark of the other language: a version rather than a quantity.
  const point = mark === wording.thousandsMark && mark === '.' ? wording.symbols['.'] : wording.point
  return `${wording.cardinal(whole)} ${point} ${digitByDigit(fraction, wording)}`
}

const sayMoney = (written: string, scaleWord: string | undefined, markWritten: string, wording: Wording): string => {
  const currency = currencyMarks[markWritten] ?? 'EUR'
  if (scaleWord)
    return `${sayAmount(written, wording, scaleWord)} ${scaleWord} ${wording.money({ whole: '2', currency }).replace(/^\S+ /, '')}`
  const { whole, fraction } = readAmount(written, wording)
  return wording.money({ whole, currency, ...(fraction !== undefined && { cents: fraction.padEnd(2, '0').slice(0, 2) }) })
}

export const sayMoneyIn = (text: string, wording: Wording): string =>
  text
    .replace(moneyBehind, (_, mark: string, written: string, scale: string | undefined) => sayMoney(written, scale, mark, wording))
    .replace(moneyAhead, (_, written: string, scale: string | undefined, mark: string) => sayMoney(written, scale, mark, wording))

/** Digits in the groups they are written in; long groups by threes, the last one up to four. */
export const sayDigits = (written: string, wording: Wording): string =>
  written
    .split(/[^\d+]+/)
    .flatMap((group) => group.replace('+', '').match(/\d{3}(?=\d{3})|\d{2}(?=\d{3}$)|\d+/g) ?? [])
    .map((group, i) => (i === 0 && written.trimStart().startsWith('+') ? `${wording.symbols['+']} ` : '') + digitByDigit(group, wording))
    .join(', ')

/** Sure ones: with a plus, or in the three groups of North America. */
const certainPhoneNumber = /(?<![\p{L}\d.,])(?:\+\d[\d ()/.-]{4,20}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\d,])/gu
/** With a zero at the beginning; dates may have one too and are said before. */
const localPhoneNumber = /(?<![\p{L}\d.,])\(?0\d{1,5}\)?[ /-]?\d[\d /-]{3,15}\d(?![\d,])/gu

export const sayCertainPhoneNumbersIn = (text: string, wording: Wording): string =>
  text.replace(certainPhoneNumber, (written) => sayDigits(written, wording))

export const sayLocalPhoneNumbersIn = (text: string, wording: Wording): string =>
  text.replace(localPhoneNumber, (written) => sayDigits(written, wording))

const range = /(?<![\p{L}\d.,:/-])([1-9]\d{0,3}|\d{1,2}:\d\d) ?[–-] ?(?=\d{1,4}(?![\p{L}\d-]))/gu
const fraction = /(?<![\p{L}\d/])[13]\/[234](?![\p{L}\d/])/gu
const percent = new RegExp(`${notInside}(${amount})\\s?%`, 'gu')
const signed = new RegExp(String.raw`(?<![\p{L}\p{N}.,-])([-−+])(?=\d)`, 'gu')
const counted = new RegExp(`${notInside}(${amount})(?=(?: (\\p{Lu}\\p{L}*))?)`, 'gu')
const longNumber = 7

/** 9–17: before anything else makes words of its ends. */
export const sayRangesIn = (text: string, { to }: Wording): string => text.replace(range, `$1 ${to} `)

/** All that is left: fractions, percentages, units, and plain numbers. */
export const sayNumbersIn = (text: string, wording: Wording): string =>
  text
    .replace(fraction, (written) => wording.fractions[written] ?? written)
    .replace(signed, (sign) => `${wording.symbols[sign === '+' ? '+' : '-']} `)
    .replace(percent, (_, written: string) => `${sayAmount(written, wording)} ${wording.symbols['%']}`)
    .replace(unitsOf(wording), (_, written: string, unit: string) => {
      const [one, many] = wording.units[unit] ?? [unit, unit]
      return `${sayAmount(written, wording, one)} ${written === '1' ? one : many}`
    })
    .replace(counted, (written, _: string, next: string | undefined) => sayNumber(written, wording, next ?? ''))
    .replace(/\d+/g, (digits) => ` ${sayDigits(digits, wording)} `)

/** Zeros in front, or many digits without a mark between thousands: rather the number of a customer than a quantity. */
const sayNumber = (written: string, wording: Wording, next: string): string =>
  /^0\d/.test(written) || (/^\d+$/.test(written) && written.length >= longNumber && !written.endsWith('000'))
    ? sayDigits(written, wording)
    : sayAmount(written, wording, next)

const unitPatterns = new Map<Wording, RegExp>()

const unitsOf = (wording: Wording): RegExp => {
  let pattern = unitPatterns.get(wording)
  if (!pattern) {
    const names = Object.keys(wording.units).toSorted((a, b) => b.length - a.length)
    pattern = new RegExp(`${notInside}(${amount})\\s?(${names.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
    unitPatterns.set(wording, pattern)
  }
  return pattern
}
