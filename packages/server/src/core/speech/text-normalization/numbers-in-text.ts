import { currencyMark, currencyOf, currencyWord } from './currencies.ts'
import { type Wording, digitByDigit } from './wording.ts'

/** Written numbers with either thousands separator. */
const amount = String.raw`\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,9})?|\d+(?:[.,]\d{1,9})?`
/** Lookbehind: neither a letter nor the rest of another number. */
const notInside = String.raw`(?<![\p{L}\d]|\d[.,])`

interface Amount {
  whole: string
  fraction?: string
  /** Decimal separator. */
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

/** `counted`: the noun after it; `before`: the text before it. */
export const sayAmount = (written: string, wording: Wording, counted = '', before = ''): string => {
  const { whole, fraction, mark } = readAmount(written, wording)
  if (fraction === undefined) return whole === written ? wording.count(whole, counted, before) : wording.cardinal(whole)
  // A decimal separator of the other language indicates a version rather than a quantity.
  const point = mark === wording.thousandsMark && mark === '.' ? wording.symbols['.'] : wording.point
  return `${wording.cardinal(whole)} ${point} ${digitByDigit(fraction, wording)}`
}

/** Digits in their written groups; long groups by threes, the last one up to four. */
export const sayDigits = (written: string, wording: Wording): string =>
  written
    .split(/[^\d+]+/)
    .flatMap((group) => group.replace('+', '').match(/\d{3}(?=\d{3})|\d{2}(?=\d{3}$)|\d+/g) ?? [])
    .map((group, i) => (i === 0 && written.trimStart().startsWith('+') ? `${wording.symbols['+']} ` : '') + digitByDigit(group, wording))
    .join(', ')

const apart =
  /(?<!\d[ \u00a0\u202f]?|[\p{L}.,+-])[1-9]\d{0,2}(?:(?:[ \u00a0\u202f]\d{3}){0,3}[ \u00a0\u202f]000|(?:['’\u00a0\u202f]\d{3}){1,4})(?![ ]?\d)/gu

/** Replaces thousands separators by spaces and, in Switzerland, by apostrophes with the language's own. */
export const joinThousands = (text: string, { thousandsMark }: Wording): string =>
  text.replace(apart, (written) => written.replace(/\D/g, thousandsMark))

const range = /(?<![\p{L}\d.,:/-])([1-9]\d{0,3}|\d{1,2}:\d\d) ?[–-] ?(?=(?:[1-9]\d{0,3}|0\d?(?=:|(?!\d)))(?![\p{L}\d-]|:\d(?!\d)))/gu
const halves = /(\d ?(?:am|pm|a\.m\.|p\.m\.)) ?[–-] ?(?=\d)/gi
const letters = /(?<![\p{L}\p{N}])(\p{Lu})(?: ?– ?|-)(\p{Lu})(?![\p{L}\p{N}]| \d)/gu
const years = /(?<![\p{L}\d.,:/–-])((?:1[1-9]|20)\d\d) ?[–-] ?((?:1[1-9]|20)\d\d)(?![\p{L}\d-])/gu

/** 9–17: runs before its ends are converted to words. */
export const sayRangesIn = (text: string, wording: Wording): string => {
  const { to } = wording
  return text
    .replace(years, (_, from: string, until: string) => `${wording.year(Number(from))} ${to} ${wording.year(Number(until))}`)
    .replace(halves, `$1 ${to} `)
    .replace(range, `$1 ${to} `)
    .replace(letters, (_, from: string, until: string) => `${wording.letter(from)} ${to} ${wording.letter(until)}`)
}

const signed = /(?<![\p{L}\p{N}.,)-])([-−+])(?=[€$£¥₹]?\d)/gu

export const saySignsIn = (text: string, { symbols }: Wording): string =>
  text.replace(signed, (sign) => `${symbols[sign === '+' ? '+' : '-']} `)

const height = /(?<![\p{L}\d.,])([3-8]) ?['’′] ?(\d{1,2}) ?(?:["”″]|'')/gu
const quoteOrInch = /["”]/g

/** A quotation mark after a number is an inch mark unless a quotation is open. */
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
  const measured = withInches(text.replace(height, `$1 ${wording.foot} $2`))
  const last = isLast(measured)
  return measured
    .replace(percent, (_, written: string, sign: '%' | '‰') => `${sayAmount(written, wording)} ${wording.symbols[sign]}`)
    .replace(unitsOf(wording), (match, written: string, unit: string, dot: string, at: number) => {
      const [one, many] = wording.units[unit] ?? [unit, unit]
      // Its dot also ends the sentence.
      const end = dot !== '' && last(at + match.length) ? '.' : ''
      return `${sayAmount(written, wording, one, justBefore(measured, at))} ${written === '1' ? one : many}${end}`
    })
    .replace(wording.attribute, '')
}

const unitPatterns = new Map<Wording, RegExp>()

/** Alphabetic units may have a dot. */
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

/** All remaining numbers. */
export const sayNumbersIn = (text: string, wording: Wording): string =>
  sayScalesIn(text, wording)
    .replace(score, (_, one: string, other: string) => `${one} ${wording.against} ${other}`)
    .replace(counted, (written, _: string, next: string | undefined, at: number, whole: string) =>
      sayNumber(written, wording, next ?? '', justBefore(whole, at)),
    )
    .replace(/\d+/g, (digits) => ` ${sayDigits(digits, wording)} `)

/** Leading zeros, or many digits without thousands separators: an identifier rather than a quantity. */
const sayNumber = (written: string, wording: Wording, next: string, before: string): string =>
  /^0\d/.test(written) || (/^\d+$/.test(written) && written.length >= longNumber && !written.endsWith('000'))
    ? sayDigits(written, wording)
    : sayAmount(written, wording, next, before)

const scale = String.raw`(?:\s?(million|billion|trillion|Millionen|Milliarden|Million|Milliarde|Mio\.?|Mrd\.?|Tsd\.|bn|[kKMmB])(?!\p{L}))?`
/** "20,- €" has no cents. */
const none = String.raw`(?:,[-–—]{1,2})?`
const moneyRange = new RegExp(`${notInside}(${currencyMark}) ?(${amount}) ?[–-] ?\\1?(?=(?:${amount})(?![\\p{L}\\d-]))`, 'gu')
const markFirst = new RegExp(`${notInside}(${currencyMark})\\s?(${amount})${scale}`, 'gu')
const markLast = new RegExp(`${notInside}(${amount})${none}${scale}\\s?(${currencyMark}|${currencyWord})(?!\\p{L})`, 'gu')
const each =
  /(?<=[\d€$£¥FRDY%]) ?\/ ?(?=(?:month|year|day|hour|week|night|person|Monat|Jahr|Tag|Stunde|Woche|Nacht|Person|Stück)(?!\p{L}))|(?<=[\d€$£¥FRDY%]) ?\/ ?(kg|h|m²|l|GB|kWh|min)(?!\p{L})/gu

const sayMoney = (written: string, scaleWord: string | undefined, markWritten: string, wording: Wording): string => {
  const currency = currencyOf(markWritten)
  const scaled = scaleWord === undefined ? undefined : wording.scales[scaleWord]
  if (scaled) {
    const [one, many] = scaled
    return `${sayAmount(written, wording, one)} ${written === '1' ? one : many} ${wording.currency(currency)}`
  }
  const { whole, fraction } = readAmount(written, wording)
  const money = wording.money({ whole, currency, ...(fraction !== undefined && { cents: fraction.padEnd(2, '0').slice(0, 2) }) })
  return scaleWord === undefined ? money : `${money} ${scaleWord}`
}

/** $5–10: runs before other ranges. */
export const sayMoneyRangesIn = (text: string, wording: Wording): string =>
  text.replace(moneyRange, (_, written: string, from: string) => `${sayAmount(from, wording)} ${wording.to} ${written}`)

const scaled = new RegExp(`${notInside}(${amount})\\s?(Millionen|Milliarden|Million|Milliarde|Mio\\.?|Mrd\\.?|Tsd\\.|bn)(?!\\p{L})`, 'gu')

/** 2 Mio. inhabitants: runs after money. */
const sayScalesIn = (text: string, wording: Wording): string => {
  const last = isLast(text)
  return text.replace(scaled, (written, number: string, name: string, at: number) => {
    const [one, many] = wording.scales[name] ?? [name, name]
    return `${sayAmount(number, wording, one, justBefore(text, at))} ${number === '1' ? one : many}${name.endsWith('.') && last(at + written.length) ? '.' : ''}`
  })
}

const nameOnly = /(?<![\p{L}\p{N}-])(?:EUR|USD|GBP|CHF)(?![\p{L}\p{N}-])/gu

export const sayMoneyIn = (text: string, wording: Wording): string =>
  text
    .replace(each, (_, unit: string | undefined) =>
      unit === undefined ? ` ${wording.per} ` : ` ${wording.per} ${wording.units[unit]?.[0] ?? unit}`,
    )
    .replace(markFirst, (_, written: string, number: string, scale: string | undefined) => sayMoney(number, scale, written, wording))
    .replace(markLast, (_, number: string, scale: string | undefined, written: string) => sayMoney(number, scale, written, wording))
    .replace(nameOnly, (code: string) => wording.currency(currencyOf(code)))

const signs: Readonly<Record<string, readonly [number, number]>> = {
  '½': [1, 2],
  '⅓': [1, 3],
  '⅔': [2, 3],
  '¼': [1, 4],
  '¾': [3, 4],
  '⅕': [1, 5],
  '⅛': [1, 8],
  '⅜': [3, 8],
  '⅝': [5, 8],
  '⅞': [7, 8],
}
const withSign = /(?<![\p{L}\d.,])(?:(\d{1,3}) ?)?([½⅓⅔¼¾⅕⅛⅜⅝⅞])/gu
const written = /(?<![\p{L}\d/.,])(?:(\d{1,3}) )?(\d)\/(\d0?)(?![\p{L}\d/]|[.,]\d)/gu

/** A unit behind a fraction. */
const measured = /(?<![\p{L}\d.,/])(\d{1,3} ?)?([½⅓⅔¼¾⅕⅛⅜⅝⅞]|\d\/\d) ?(kg|l|m|km|h|lb|mi|g|t)(?![\p{L}\d²³])/gu

const say = (whole: string | undefined, [numerator, denominator]: readonly [number, number], wording: Wording): string =>
  whole === undefined ? wording.fraction(numerator, denominator) : wording.mixed(whole, numerator, denominator)

/** Fractions up to tenths; excludes 24/7 and the like. */
export const sayFractionsIn = (text: string, wording: Wording): string =>
  text
    .replace(measured, (_, whole: string | undefined, fraction: string, unit: string) => {
      const [one, many] = wording.units[unit] ?? [unit, unit]
      return `${whole ?? ''}${fraction} ${whole === undefined ? one : many}`
    })
    .replace(withSign, (_, whole: string | undefined, sign: string) => say(whole, signs[sign] ?? [1, 2], wording))
    .replace(written, (all, whole: string | undefined, above: string, below: string) => {
      const parts = [Number(above), Number(below)] as const
      return parts[0] > 0 && parts[0] < parts[1] ? say(whole, parts, wording) : all
    })

/** Whether only spaces follow a position. */
export const isLast = (text: string): ((at: number) => boolean) => {
  const end = text.trimEnd().length
  return (at) => at >= end
}

/** Text before a position, as far as rules look back; empty only at the very start. */
export const justBefore = (text: string, at: number): string => text.slice(Math.max(0, at - 24), at)

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50 }
/** Words after which a single letter is a numeral. */
const countedPart = /^(?:Chapter|Part|Act|Volume|Class|Kapitel|Teil|Band|Akt|Klasse)$/
/** Sizes and infusions rather than numerals. */
const neither = /^(?:XL|XX|LL)$/
const article = /^(?:The|An|A|Der|Die|Das|Ein|Eine|Per)$/

const withName = /(?<![\p{L}\p{N}])(\p{Lu}\p{Ll}{1,20}) ([IVXL]{1,8})(\.?)(?![\p{L}\p{N}])/gu

const roman = (n: number): string =>
  (
    [
      ['L', 50],
      ['XL', 40],
      ['X', 10],
      ['IX', 9],
      ['V', 5],
      ['IV', 4],
      ['I', 1],
    ] as const
  ).reduce(({ left, text }, [letters, value]) => ({ left: left % value, text: text + letters.repeat(Math.floor(left / value)) }), {
    left: n,
    text: '',
  }).text

/** Undefined if it is not a valid numeral. */
const numberOf = (letters: string): number | undefined => {
  const n = Array.from(letters, (letter) => values[letter] ?? 0).reduce(
    (sum, value, i, all) => sum + (value < (all[i + 1] ?? 0) ? -value : value),
    0,
  )
  return roman(n) === letters ? n : undefined
}

/** Ordinals for kings and popes, cardinals for chapters and wars. */
export const sayRomanNumeralsIn = (text: string, wording: Wording): string => {
  const last = isLast(text)
  return text.replace(withName, (all, name: string, letters: string, dot: string, at: number) => {
    const n = numberOf(letters)
    if (n === undefined || neither.test(letters) || article.test(name)) return all
    // Where ordinals have a dot, it belongs to the number; it may end the sentence as well.
    const end = dot === '' || (wording.ordinalDot && !last(at + all.length)) ? '' : '.'
    const king = letters === 'I' && dot === '' ? undefined : wording.regnal(name, String(n))
    if (king !== undefined) return `${name} ${king}${end}`
    return letters.length > 1 || countedPart.test(name) ? `${name} ${wording.cardinal(String(n))}${dot}` : all
  })
}
