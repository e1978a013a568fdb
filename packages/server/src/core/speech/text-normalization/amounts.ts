import { digitByDigit, type Wording } from './wording.ts'

/** Written numbers, in either language's way. */
export const amount = String.raw`\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,9})?|\d+(?:[.,]\d{1,9})?`
/** Before one: neither a letter nor the rest of another number. */
export const notInside = String.raw`(?<![\p{L}\d]|\d[.,])`

export interface Amount {
  whole: string
  fraction?: string
  /** Written before the fraction. */
  mark?: string
}

export const readAmount = (written: string, { thousandsMark }: Wording): Amount => {
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
  if (fraction === undefined) return whole === written ? wording.count(whole, counted) : wording.cardinal(whole)
  // The mark of the other language: a version rather than a quantity.
  const point = mark === wording.thousandsMark && mark === '.' ? wording.symbols['.'] : wording.point
  return `${wording.cardinal(whole)} ${point} ${digitByDigit(fraction, wording)}`
}

/** Digits in the groups they are written in; long groups by threes, the last one up to four. */
export const sayDigits = (written: string, wording: Wording): string =>
  written
    .split(/[^\d+]+/)
    .flatMap((group) => group.replace('+', '').match(/\d{3}(?=\d{3})|\d{2}(?=\d{3}$)|\d+/g) ?? [])
    .map((group, i) => (i === 0 && written.trimStart().startsWith('+') ? `${wording.symbols['+']} ` : '') + digitByDigit(group, wording))
    .join(', ')

const apart =
  /(?<!\d[ \u00a0\u202f]?|[\p{L}.,+-])[1-9]\d{0,2}(?:(?:[ \u00a0\u202f]\d{3}){0,3}[ \u00a0\u202f]000|(?:['’\u00a0\u202f]\d{3}){1,4})(?![ ]?\d)/gu

/** Thousands are also set apart by gaps and, in Switzerland, by apostrophes: after this, by the language's own mark. */
export const joinThousands = (text: string, { thousandsMark }: Wording): string =>
  text.replace(apart, (written) => written.replace(/\D/g, thousandsMark))
