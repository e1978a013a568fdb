/**
 * A language whose voices know their numbers: what they would read wrong is written so that they read it right, and the digits stay.
 */
export interface Rewording {
  readonly months: readonly string[]
  date(day: number, month: string, year: string | undefined): string
  /** A time with minutes, in digits. */
  time(hour: number, minute: string): string
  /** `cents`: two digits, or missing. */
  money(whole: string, cents: string | undefined, currency: string): string
  /** Of more than one. */
  readonly currencies: Readonly<Record<string, readonly [one: string, many: string]>>
  readonly units: Readonly<Record<string, readonly [one: string, many: string]>>
  /** One of what is counted, where voices would say the bare number. */
  one(counted: string): string
  readonly percent: string
  /** Between the ends of a range. */
  readonly to: string
  readonly and: string
  /** Inside addresses. */
  readonly marks: Readonly<Record<'.' | '@' | '-' | '_' | '/' | '+', string>>
  /** How many digits of a phone number are said as one number: the French say pairs, others digit by digit. */
  readonly phoneDigits: 1 | 2
}
