import { englishCurrencies } from './currencies.ts'
import { englishSymbols, englishUnits } from './symbols-and-units.ts'
import {
  canBeCounted,
  digitByDigit,
  threes,
  withoutLeadingZeros,
  type CalendarDate,
  type Money,
  type TimeOfDay,
  type Wording,
} from './wording.ts'

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales = ['', ' thousand', ' million', ' billion', ' trillion']
const months = 'January February March April May June July August September October November December'.split(' ')

const irregularOrdinals: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

const scaleWords = {
  thousand: ['thousand', 'thousand'],
  million: ['million', 'million'],
  billion: ['billion', 'billion'],
  trillion: ['trillion', 'trillion'],
  k: ['thousand', 'thousand'],
  K: ['thousand', 'thousand'],
  M: ['million', 'million'],
  m: ['million', 'million'],
  bn: ['billion', 'billion'],
  B: ['billion', 'billion'],
} as const

const weekdays = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Tues: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Thur: 'Thursday',
  Thurs: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
}

const monarchs = new Set(
  `Albert Alexander Benedict Catherine Charles Christian Clement Edward Elizabeth Felipe Ferdinand Francis Frederick George Gregory Gustav
  Harald Henry Innocent Ivan James Joseph Leo Leopold Louis Margrethe Mary Napoleon Nicholas Otto Paul Peter Philip Pius Ramses Richard Robert
  Rudolf Urban Wilhelm William`.split(/\s+/),
)

const belowHundred = (n: number): string => {
  if (n < 20) return small[n] ?? ''
  const ten = tens[Math.floor(n / 10)] ?? ''
  return n % 10 === 0 ? ten : `${ten}-${small[n % 10]}`
}

const belowThousand = (n: number): string => {
  const hundreds = Math.floor(n / 100)
  if (hundreds === 0) return belowHundred(n)
  return n % 100 === 0 ? `${small[hundreds]} hundred` : `${small[hundreds]} hundred ${belowHundred(n % 100)}`
}

const cardinal = (whole: string): string => {
  const digits = withoutLeadingZeros(whole)
  if (!canBeCounted(digits)) return digitByDigit(digits, english)
  const groups = threes(digits)
  const words = groups.map((group, i) => (group === 0 ? '' : belowThousand(group) + (scales[groups.length - 1 - i] ?? '')))
  return words.filter((word) => word !== '').join(' ') || 'zero'
}

const ordinal = (whole: string): string => {
  const words = cardinal(whole)
  const last = /\w+$/.exec(words)?.[0] ?? ''
  const changed = irregularOrdinals[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return words.slice(0, words.length - last.length) + changed
}

const year = (n: number): string => {
  const century = Math.floor(n / 100)
  const rest = n % 100
  if (n < 1000 || n > 9999 || (century % 10 === 0 && rest < 10)) return cardinal(String(n))
  if (rest === 0) return `${belowHundred(century)} hundred`
  return `${belowHundred(century)} ${rest < 10 ? `oh ${small[rest]}` : belowHundred(rest)}`
}

const date = ({ day, month, year: ofYear }: CalendarDate): string => {
  const monthName = month === undefined ? '' : (months[month - 1] ?? '')
  const monthAndDay = day === undefined ? monthName : `${monthName} ${ordinal(String(day))}`.trim()
  if (ofYear === undefined) return monthAndDay
  return monthAndDay === '' ? year(ofYear) : `${monthAndDay}${day === undefined ? '' : ','} ${year(ofYear)}`
}

/** Spoken times use the 12-hour clock. */
const time = ({ hour, minute, second, half }: TimeOfDay): string => {
  const afternoon = half ?? (hour > 12 ? 'pm' : hour === 0 ? 'am' : undefined)
  const words = [cardinal(String(hour % 12 || 12))]
  if (minute > 0) words.push(minute < 10 ? `oh ${small[minute]}` : belowHundred(minute))
  else if (!afternoon) words.push("o'clock")
  if (second) words.push(`and ${belowHundred(second)} ${second === 1 ? 'second' : 'seconds'}`)
  if (afternoon) words.push(afternoon === 'am' ? 'ay M' : 'P M')
  return words.join(' ')
}

const money = ({ whole, cents, currency }: Money): string => {
  const [one, many, cent, manyCents] = englishCurrencies[currency]
  const number = withoutLeadingZeros(whole)
  const small = Number(cents ?? 0)
  const centWords = `${belowHundred(small)} ${small === 1 ? cent : manyCents}`
  if (number === '0' && small > 0) return centWords
  const words = `${cardinal(number)} ${number === '1' ? one : many}`
  return small > 0 ? `${words} and ${centWords}` : words
}

const fraction = (numerator: number, denominator: number): string => {
  const [one, many] = denominator === 2 ? ['half', 'halves'] : denominator === 4 ? ['quarter', 'quarters'] : parted(denominator)
  return `${cardinal(String(numerator))} ${numerator === 1 ? one : many}`
}

const parted = (denominator: number): [string, string] => {
  const part = ordinal(String(denominator))
  return [part, `${part}s`]
}

const mixed = (whole: string, numerator: number, denominator: number): string =>
  `${cardinal(whole)} and ${fraction(numerator, denominator).replace(/^one /, 'a ')}`

/** The nineties, the two thousands. */
const decade = (digits: string): string => {
  const words = digits.length === 4 ? year(Number(digits)) : cardinal(digits)
  return words.endsWith('y') ? `${words.slice(0, -1)}ies` : `${words}s`
}

/** Two oh four, four twelve, fourteen hundred. */
const room = (digits: string): string => {
  if (digits.length !== 3) return digits.length === 4 ? year(Number(digits)) : cardinal(digits)
  const low = Number(digits.slice(1))
  return low === 0 ? cardinal(digits) : `${cardinal(digits.charAt(0))} ${low < 10 ? 'oh ' : ''}${belowHundred(low)}`
}

export const english: Wording = {
  digits: small.slice(0, 10),
  point: 'point',
  thousandsMark: ',',
  to: 'to',
  against: 'to',
  by: 'by',
  per: 'per',
  version: 'version',
  versionPoint: 'point',
  extension: 'extension',
  symbols: englishSymbols,
  units: englishUnits,
  scales: scaleWords,
  monthNames: months,
  ordinalDot: false,
  townNumbers: true,
  postcode: undefined,
  foot: 'foot',
  severalLetters: "'s",
  weekdays,
  cardinal,
  count: cardinal,
  ordinal,
  year,
  date,
  time,
  money,
  currency: (currency) => englishCurrencies[currency][1],
  fraction,
  mixed,
  decade,
  regnal: (name, number) => (monarchs.has(name) ? `the ${ordinal(number)}` : undefined),
  room,
  attribute:
    /(?<=(?:dollar|euro|pound|franc))s(?= (?:bill|note|coin|fee|deal|coupon|voucher|discount|gift|deposit|charge|credit|fine|minimum|limit|bonus|tip|copay|ticket|refund|deductible|item|menu)(?!\p{L}))|(?<=inch)es(?= (?:pizza|screen|display|TV|monitor|tablet|pipe|wheel|laptop|phone))|(?<=(?:million|billion) dollar)s(?= deal)/gu,
  // A lone A would be read as the article.
  letter: (letter) => (letter.toUpperCase() === 'A' ? 'ay' : letter.toUpperCase()),
}
