/** How a language says numbers and the like. Voices that know no numbers get words. */
export interface Wording {
  /** The names of 0 to 9. */
  readonly digits: readonly string[]
  /** Between whole numbers and decimals. */
  readonly point: string
  /** Written between thousands. */
  readonly thousandsMark: ',' | '.'
  /** Between the ends of a range. */
  readonly to: string
  /** Between the two numbers of a score or ratio. */
  readonly against: string
  /** Before what is counted once for each: 5 € per month. */
  readonly per: string
  readonly version: string
  /** Between the numbers of one. */
  readonly versionPoint: string
  /** Of a phone number. */
  readonly extension: string
  readonly symbols: Readonly<Record<SpokenSymbol, string>>
  /** For one, for more. */
  readonly units: Readonly<Record<string, readonly [one: string, many: string]>>
  /** What multiplies an amount, short or not: `k`, `Mio.`; for one, for more. */
  readonly scales: Readonly<Record<string, readonly [one: string, many: string]>>
  readonly monthNames: readonly string[]
  /** Ordinals are written as numbers with a dot. */
  readonly ordinalDot: boolean
  /** Phone numbers within a town are written as 555-1234. */
  readonly townNumbers: boolean
  /** Where an address has a number that is no amount. */
  readonly postcode: RegExp | undefined
  /** Between feet and inches of a height; undefined: nobody is measured so. */
  readonly foot: string | undefined
  /** Behind a spelled word of which there are several: PDFs. */
  readonly severalLetters: string
  /** By their short names. */
  readonly weekdays: Readonly<Record<string, string>>
  cardinal(whole: string): string
  /** As a cardinal in front of what is counted. */
  count(whole: string, counted: string): string
  /** `before`: what is said right before it, for languages that decline. */
  ordinal(whole: string, before: string): string
  /** As the number of a year. */
  year(year: number): string
  date(date: CalendarDate, before: string): string
  time(time: TimeOfDay): string
  money(money: Money): string
  /** Of more than one. */
  currency(currency: Currency): string
  /** `1/2` is one half. */
  fraction(numerator: number, denominator: number): string
  /** A whole number and a fraction. */
  mixed(whole: string, numerator: number, denominator: number): string
  /** The years from this one on: the 1990s. */
  decade(year: string): string
  /** What is said after a monarch's name for the number; undefined: nobody reigned under that name. */
  regnal(name: string, number: string): string | undefined
  /** Of a hotel or office. */
  room(digits: string): string
  /** A letter on its own. */
  letter(letter: string): string
}

export interface CalendarDate {
  /** 1 to 31. */
  day?: number
  /** 1 to 12. */
  month?: number
  year?: number
}

export interface TimeOfDay {
  hour: number
  minute: number
  second?: number
  /** Said with the time, where the language does so. */
  half?: 'am' | 'pm'
}

export interface Money {
  whole: string
  /** Two digits, or missing. */
  cents?: string
  currency: Currency
}

export type Currency = 'EUR' | 'USD' | 'GBP' | 'CHF'

/** `‐` is the hyphen inside an address. */
export type SpokenSymbol =
  | '+'
  | '-'
  | '‐'
  | '%'
  | '‰'
  | '&'
  | '@'
  | '.'
  | '/'
  | '_'
  | '#'
  | '='
  | '§'
  | '°'
  | '×'
  | '÷'
  | '>'
  | '<'
  | '±'
  | '≈'

/** Undefined: no such day. */
export const calendarDate = (day: string | undefined, month: string | undefined, year: string | undefined): CalendarDate | undefined => {
  const date: CalendarDate = {
    ...(day && { day: Number(day) }),
    ...(month && { month: Number(month) }),
    ...(year && { year: year.length === 2 ? 2000 + Number(year) : Number(year) }),
  }
  const { day: d = 1, month: m = 1 } = date
  return d >= 1 && d <= 31 && m >= 1 && m <= 12 ? date : undefined
}

/** Larger ones are said digit by digit. */
const maxDigits = 15

export const withoutLeadingZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

export const canBeCounted = (digits: string): boolean => withoutLeadingZeros(digits).length <= maxDigits

export const digitByDigit = (digits: string, wording: Wording): string =>
  Array.from(digits, (digit) => wording.digits[Number(digit)] ?? digit).join(' ')

/** Digits in groups of three, from the right: the number of thousands is the second last. */
export const threes = (digits: string): number[] => {
  const groups: number[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(Number(digits.slice(Math.max(0, end - 3), end)))
  return groups
}
