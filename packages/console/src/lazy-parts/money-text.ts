import type { Language } from '../words/languages.ts'

/** The service counts ten-thousandths. */
const unit = 10_000

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/** 1,234.56 and 1.234,56; rejects a point that can only be meant as the other language's comma. */
const patterns: Readonly<Record<Language, RegExp>> = {
  en: /^(?<minus>-?)(?<whole>\d{1,9}|[1-9]\d{0,2}(?:,\d{3}){1,2})(?:\.(?<part>\d{1,4}))?$/,
  de: /^(?<minus>-?)(?<whole>\d{1,9}|[1-9]\d{0,2}(?:\.\d{3}){1,2})(?:,(?<part>\d{1,4}))?$/,
}

/** Parses the typed amount to ten-thousandths; undefined if invalid. */
export const readMoney = (written: string, language: Language): number | undefined => {
  const plain = written.replaceAll(/\s/g, '').replace('−', '-')
  const { minus = '', whole, part = '' } = patterns[language].exec(plain)?.groups ?? {}
  if (whole === undefined) return undefined
  const amount = Number(whole.replaceAll(/\D/g, '')) * unit + Number(part.padEnd(4, '0'))
  return minus !== '' && amount !== 0 ? -amount : amount
}

/** Inverse of `readMoney`. */
export const writeMoney = (amount: number, language: Language): string =>
  new Intl.NumberFormat(locales[language], { minimumFractionDigits: 2, maximumFractionDigits: 4 }).format(amount / unit)
