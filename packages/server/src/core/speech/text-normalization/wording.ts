import type { Currency } from './currencies.ts'

/** Words of a language for numbers and the like, for voices that cannot read numbers. */
export interface Wording {
  /** Names of 0 to 9. */
  readonly digits: readonly string[]
  /** Decimal separator, spoken. */
  readonly point: string
  /** Thousands separator, written. */
  readonly thousandsMark: ',' | '.'
  /** Between the ends of a range. */
  readonly to: string
  /** Between the two numbers of a score or ratio. */
  readonly against: string
  /** Between the sides of an area: 4x4. */
  readonly by: string
  /** Before the unit of a rate: 5 € per month. */
  readonly per: string
  readonly version: string
  /** Between the numbers of a version. */
  readonly versionPoint: string
  /** Before the extension of a phone number. */
  readonly extension: string
  readonly symbols: Readonly<Record<SpokenSymbol, string>>
  /** Singular and plural. */
  readonly units: Readonly<Record<string, readonly [one: string, many: string]>>
  /** Multipliers of an amount, abbreviated or not: `k`, `Mio.`; singular and plural. */
  readonly scales: Readonly<Record<string, readonly [one: string, many: string]>>
  readonly monthNames: readonly string[]
  /** Ordinals are written as numbers with a dot. */
  readonly ordinalDot: boolean
  /** Local phone numbers are written as 555-1234. */
  readonly townNumbers: boolean
  /** Matches a postcode in an address. */
  readonly postcode: RegExp | undefined
  /** Between feet and inches of a height. */
  readonly foot: string
  /** Plural suffix of a spelled word: PDFs. */
  readonly severalLetters: string
  /** By their abbreviations. */
  readonly weekdays: Readonly<Record<string, string>>
  cardinal(whole: string): string
  /** Cardinal before a counted noun; `before` as in `ordinal`. */
  count(whole: string, counted: string, before: string): string
  /** `before`: preceding text, for languages with inflection. */
  ordinal(whole: string, before: string): string
  /** Reads a year. */
  year(year: number): string
  date(date: CalendarDate, before: string): string
  time(time: TimeOfDay): string
  money(money: Money): string
  /** Plural name. */
  currency(currency: Currency): string
  /** `1/2` is one half. */
  fraction(numerator: number, denominator: number): string
  /** Whole number with a fraction. */
  mixed(whole: string, numerator: number, denominator: number): string
  /** Years from this one on: the 1990s. */
  decade(year: string): string
  /** Number after a monarch's name; undefined if no monarch has that name. */
  regnal(name: string, number: string): string | undefined
  /** Room number of a hotel or office. */
  room(digits: string): string
  /** Plural endings that an amount loses before a noun: a five dollar fee. */
  readonly attribute: RegExp
  /** Name of a single letter. */
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
  /** Spoken with the time, if customary in the language. */
  half?: 'am' | 'pm'
}

export interface Money {
  whole: string
  /** Two digits, or missing. */
  cents?: string
  currency: Currency
}

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

/** Undefined for an invalid date. */
export const calendarDate = (day: string | undefined, month: string | undefined, year: string | undefined): CalendarDate | undefined => {
  const date: CalendarDate = {
    ...(day && { day: Number(day) }),
    ...(month && { month: Number(month) }),
    ...(year && { year: year.length === 2 ? 2000 + Number(year) : Number(year) }),
  }
  const { day: d = 1, month: m = 1 } = date
  return d >= 1 && d <= 31 && m >= 1 && m <= 12 ? date : undefined
}

/** Maximum digits of a cardinal; longer numbers are spoken digit by digit. */
const maxDigits = 15

export const withoutLeadingZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

export const canBeCounted = (digits: string): boolean => withoutLeadingZeros(digits).length <= maxDigits

export const digitByDigit = (digits: string, wording: Wording): string =>
  Array.from(digits, (digit) => wording.digits[Number(digit)] ?? digit).join(' ')

/** Groups of three digits from the right: the second last is the thousands. */
export const threes = (digits: string): number[] => {
  const groups: number[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(Number(digits.slice(Math.max(0, end - 3), end)))
  return groups
}
