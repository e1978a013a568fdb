import { useMemo } from 'react'
import type { Language } from '#words/languages.ts'
import { useLanguage } from '#words/use-text.tsx'
import { spacedNumber } from './phone-digits.ts'

export interface Format {
  /** Ten-thousandths of the currency unit, as in the service. */
  money: (amount: number, currency: string) => string
  /** A signed amount in parts: the fraction, and the rest around it. */
  booking: (amount: number, currency: string) => Intl.NumberFormatPart[]
  number: (value: number, digits?: number) => string
  /** Day and time; from milliseconds or an ISO text. */
  moment: (at: number | string) => string
  day: (at: number | string) => string
  /** A calendar day such as 2026-12-01, independent of time zones. */
  date: (calendarDate: string) => string
  /** Hours, minutes and seconds. */
  clock: (at: number | string) => string
  /** "2 minutes ago". */
  ago: (at: number | string) => string
  /** 3:05, or 1:02:03. */
  duration: (ms: number) => string
  bytes: (count: number) => string
  phone: (number: string) => string
}

export const useFormat = (): Format => {
  const { language } = useLanguage()
  return useMemo(() => formatFor(language), [language])
}

const locales: Record<Language, string> = { en: 'en-GB', de: 'de-DE' }

const formatFor = (language: Language): Format => {
  const locale = locales[language]
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  return {
    booking: (amount, currency) => booking(locale, amount, currency),
    money: (amount, currency) =>
      // Never three decimals, which look like thousands.
      new Intl.NumberFormat(locale, { style: 'currency', currency, ...(amount % 100 !== 0 && { minimumFractionDigits: 4 }) }).format(
        amount / 10_000,
      ),
    number: (value, digits = 0) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value),
    moment: (at) => moment.format(new Date(at)),
    day: (at) => day.format(new Date(at)),
    date: (calendarDate) => date.format(new Date(calendarDate)),
    clock: (at) => clock.format(new Date(at)),
    ago: (at) => ago(relative, new Date(at).getTime() - Date.now()),
    duration,
    bytes: (count) => bytes(locale, count),
    phone: spacedNumber,
  }
}

const booking = (locale: string, amount: number, currency: string): Intl.NumberFormatPart[] =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    signDisplay: 'exceptZero',
    ...(amount % 100 !== 0 && { minimumFractionDigits: 4 }),
  }).formatToParts(amount / 10_000)

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const ago = (relative: Intl.RelativeTimeFormat, ms: number): string => {
  for (const [unit, length] of steps) if (Math.abs(ms) >= length) return relative.format(Math.trunc(ms / length), unit)
  return relative.format(Math.trunc(ms / 1000), 'second')
}

const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

const bytes = (locale: string, count: number): string => {
  const [value, unit] =
    count < 1e3 ? [count, 'B'] : count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB']
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: value < 10 && unit !== 'B' ? 1 : 0 }).format(value)} ${unit}`
}
