import { amount, notInside, sayAmount, sayDigits } from './amounts.ts'
import { isLast } from './places.ts'
import type { Wording } from './wording.ts'

const range = /(?<![\p{L}\d.,:/-])([1-9]\d{0,3}|\d{1,2}:\d\d) ?[–-] ?(?=(?:[1-9]\d{0,3}|0\d?(?=:|(?!\d)))(?![\p{L}\d-]|:\d(?!\d)))/gu
const halves = /(\d ?(?:am|pm|a\.m\.|p\.m\.)) ?[–-] ?(?=\d)/gi
const letters = /(?<![\p{L}\p{N}])(\p{Lu})(?: ?– ?|-)(\p{Lu})(?![\p{L}\p{N}])/gu
const years = /(?<![\p{L}\d.,:/–-])((?:1[1-9]|20)\d\d) ?[–-] ?((?:1[1-9]|20)\d\d)(?![\p{L}\d-])/gu

/** 9–17: before anything else makes words of its ends. */
export const sayRangesIn = (text: string, wording: Wording): string => {
  const { to } = wording
  return text
    .replace(years, (_, from: string, until: string) => `${wording.year(Number(from))} ${to} ${wording.year(Number(until))}`)
    .replace(halves, `$1 ${to} `)
    .replace(range, `$1 ${to} `)
    .replace(letters, (_, from: string, until: string) => `${wording.letter(from)} ${to} ${wording.letter(until)}`)
}

const signed = /(?<![\p{L}\p{N}.,)-])([-−+])(?=[€$£]?\d)/gu

export const saySignsIn = (text: string, { symbols }: Wording): string =>
  text.replace(signed, (sign) => `${symbols[sign === '+' ? '+' : '-']} `)

const height = /(?<![\p{L}\d.,])([3-8])['’′](\d{1,2})["”″]/gu
const quoteOrInch = /["”]/g

/** A quotation mark behind a number is one only if another is open. */
const withInches = (text: string): string => {
  let open = false
  return text.replace(quoteOrInch, (mark, at: number) => {
    if (!open && /\d/.test(text.charAt(at - 1))) return '″'
    open = !open
    return mark
  })
}

const percent = new RegExp(`${notInside}(${amount})\\s?([%‰])`, 'gu')

export const sayUnitsIn = (text: string, wording: Wording): string => {
  const tall = wording.foot === undefined ? text : text.replace(height, `$1 ${wording.foot} $2`)
  const measured = withInches(tall)
  const last = isLast(measured)
  return measured
    .replace(percent, (_, written: string, sign: '%' | '‰') => `${sayAmount(written, wording)} ${wording.symbols[sign]}`)
    .replace(unitsOf(wording), (match, written: string, unit: string, dot: string, at: number) => {
      const [one, many] = wording.units[unit] ?? [unit, unit]
      // Its dot also ends the sentence.
      const end = dot !== '' && last(at + match.length) ? '.' : ''
      return `${sayAmount(written, wording, one)} ${written === '1' ? one : many}${end}`
    })
}

const unitPatterns = new Map<Wording, RegExp>()

/** Short units that are letters may have a dot. */
const unitsOf = (wording: Wording): RegExp => {
  let pattern = unitPatterns.get(wording)
  if (!pattern) {
    const names = Object.keys(wording.units).toSorted((a, b) => b.length - a.length)
    pattern = new RegExp(`${notInside}(${amount})\\s?(${names.join('|')})(?![\\p{L}\\p{N}²³])((?<=\\p{Ll}{2})\\.|)`, 'gu')
    unitPatterns.set(wording, pattern)
  }
  return pattern
}

const score = /(?<![\p{L}\d:.,])(\d{1,2}):(\d)(?![\d:])/gu
const counted = new RegExp(`${notInside}(${amount})(?=(?: (\\p{Lu}\\p{L}*))?)`, 'gu')
const longNumber = 7

/** All numbers that are left. */
export const sayNumbersIn = (text: string, wording: Wording): string =>
  text
    .replace(score, (_, one: string, other: string) => `${one} ${wording.against} ${other}`)
    .replace(counted, (written, _: string, next: string | undefined) => sayNumber(written, wording, next ?? ''))
    .replace(/\d+/g, (digits) => ` ${sayDigits(digits, wording)} `)

/** Zeros in front, or many digits without a mark between thousands: rather the number of a customer than a quantity. */
const sayNumber = (written: string, wording: Wording, next: string): string =>
  /^0\d/.test(written) || (/^\d+$/.test(written) && written.length >= longNumber && !written.endsWith('000'))
    ? sayDigits(written, wording)
    : sayAmount(written, wording, next)
