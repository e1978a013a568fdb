import { sayDigits } from './amounts.ts'
import { digitByDigit, type Wording } from './wording.ts'

const extension = String.raw`(?:,? ?(?:ext\.?|extension|x|DW|Durchwahl|-?App\.) ?(\d{1,5})(?!\d))?`
/** Sure ones: with a plus, or in the groups of North America. */
const certain = new RegExp(
  String.raw`(?<![\p{L}\d.,])(\+\d[\d ()/.-]{4,20}\d|(?:1-)?(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4})(?![\d,]\d|\d)${extension}`,
  'gu',
)
/** North America's numbers within a town; a range would rather have round ends. */
const withinTown = new RegExp(String.raw`(?<![\p{L}\d.,-])([2-9]\d{2}-(?!\d?000)\d{4})(?![\d,-])${extension}`, 'gu')
/** With a zero at the beginning; dates may have one too and are said before. */
const local = new RegExp(
  String.raw`(?<![\p{L}\d.,:/-])(?!\d{1,2}\/\d{1,2}\/\d{2})(\(?0\d{1,5}\)?[ /-]?\d[\d /-]{3,15}\d)(?![.,:]?\d)${extension}`,
  'gu',
)
const asWord = /(?<![\p{L}\d-])(1-)?(8\d\d)-([A-Z]{4,8})(?![\p{L}\d])/gu

/** Said digit by digit after these, however short. */
const dialled =
  /(?<=(?<!\p{L})(?:[Cc]all|[Dd]ial|Notruf|(?:[Ww]ählen|[Rr]ufen) Sie(?: die)?|[Ee]xtension|ext\.|Durchwahl) )\d{1,6}(?![\p{L}\d.,:/ -]\d|\p{L}|\d)|(?<![\p{L}\d.,])1\d{2}(?= (?:wählen|anrufen)(?!\p{L}))|(?<=(?:or|oder|und|and) )(?:110|112|911)(?![\p{L}\d.,:-])/gu

const say = (number: string, inside: string | undefined, wording: Wording): string => {
  // The zero in brackets is left out by who dials the country.
  const digits = sayDigits(number.replace(/(?<=^\+[\d ]{1,5})\(0\)/, ' '), wording)
  return inside === undefined ? digits : `${digits}, ${wording.extension} ${digitByDigit(inside, wording)}`
}

export const sayCertainPhonesIn = (text: string, wording: Wording): string =>
  text
    .replace(asWord, (_, one: string | undefined, area: string, word: string) => {
      const digits = sayDigits(`${one ?? ''}${area}`, wording)
      return `${digits}, ${word.charAt(0)}${word.slice(1).toLowerCase()}`
    })
    .replace(certain, (_, number: string, inside: string | undefined) => say(number, inside, wording))
    .replace(dialled, (digits) => digitByDigit(digits, wording))

export const sayLocalPhonesIn = (text: string, wording: Wording): string => {
  const inTown = wording.townNumbers ? text.replace(withinTown, (_, n: string, x: string | undefined) => say(n, x, wording)) : text
  return inTown.replace(local, (_, number: string, inside: string | undefined) => say(number, inside, wording))
}
