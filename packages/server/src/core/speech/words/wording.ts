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
  readonly symbols: Readonly<Record<SpokenSymbol, string>>
  /** For one, for more. */
  readonly units: Readonly<Record<string, readonly [one: string, many: string]>>
  /** One half as `1/2`. */
  readonly fractions: Readonly<Record<string, string>>
  readonly monthNames: readonly string[]
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

export type SpokenSymbol = '+' | '-' | '%' | '&' | '@' | '.' | '/' | '_' | '#' | '=' | '§' | '°'

/** Larger ones are said digit by digit. */
const mostDigits = 15

export const withoutLeadingZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

export const canBeCounted = (digits: string): boolean => withoutLeadingZeros(digits).length <= mostDigits

export const digitByDigit = (digits: string, wording: Wording): string =>
  Array.from(digits, (digit) => wording.digits[Number(digit)] ?? digit).join(' ')

/** Digits in groups of three, from the right: the number of thousands is the second last. */
export const threes = (digits: string): number[] => {
  const groups: number[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(Number(digits.slice(Math.max(0, end - 3), end)))
  return groups
}
