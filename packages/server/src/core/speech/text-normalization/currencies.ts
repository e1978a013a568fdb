/** Marks and codes before or after an amount. */
const marks = {
  '€': 'EUR',
  EUR: 'EUR',
  $: 'USD',
  US$: 'USD',
  USD: 'USD',
  '£': 'GBP',
  GBP: 'GBP',
  CHF: 'CHF',
  '¥': 'JPY',
  JPY: 'JPY',
  CNY: 'CNY',
  '₹': 'INR',
  INR: 'INR',
  '₺': 'TRY',
  TRY: 'TRY',
  '₩': 'KRW',
  KRW: 'KRW',
  zł: 'PLN',
  PLN: 'PLN',
  Kč: 'CZK',
  CZK: 'CZK',
  SEK: 'SEK',
  NOK: 'NOK',
  DKK: 'DKK',
  A$: 'AUD',
  AUD: 'AUD',
  C$: 'CAD',
  CAD: 'CAD',
} as const

export type Currency = (typeof marks)[keyof typeof marks]

const words: Readonly<Record<string, Currency>> = {
  Euro: 'EUR',
  euros: 'EUR',
  euro: 'EUR',
  Dollar: 'USD',
  dollars: 'USD',
  Franken: 'CHF',
}

export const currencyOf = (written: string): Currency =>
  Object.hasOwn(marks, written) ? marks[written as keyof typeof marks] : (words[written] ?? 'EUR')

const longestFirst = Object.keys(marks).toSorted((a, b) => b.length - a.length)

/** Source of a regular expression. */
export const currencyMark = `(?:${longestFirst.map((mark) => mark.replace('$', String.raw`\$`)).join('|')})`
export const currencyWord = 'Euro|euros?|Dollar|dollars|Franken'
/** Codes that are no initialisms. */
export const currencyCode = longestFirst.filter((mark) => /^[A-Z]{3}$/.test(mark)).join('|')

type EnglishNames = readonly [one: string, many: string, cent: string, cents: string]

export const englishCurrencies: Readonly<Record<Currency, EnglishNames>> = {
  EUR: ['euro', 'euros', 'cent', 'cents'],
  USD: ['dollar', 'dollars', 'cent', 'cents'],
  GBP: ['pound', 'pounds', 'penny', 'pence'],
  CHF: ['franc', 'francs', 'centime', 'centimes'],
  JPY: ['yen', 'yen', 'sen', 'sen'],
  CNY: ['yuan', 'yuan', 'fen', 'fen'],
  INR: ['rupee', 'rupees', 'paisa', 'paise'],
  TRY: ['lira', 'lira', 'kurus', 'kurus'],
  KRW: ['won', 'won', 'jeon', 'jeon'],
  PLN: ['zloty', 'zlotys', 'grosz', 'groszy'],
  CZK: ['Czech crown', 'Czech crowns', 'heller', 'hellers'],
  SEK: ['Swedish crown', 'Swedish crowns', 'ore', 'ore'],
  NOK: ['Norwegian crown', 'Norwegian crowns', 'ore', 'ore'],
  DKK: ['Danish crown', 'Danish crowns', 'ore', 'ore'],
  AUD: ['Australian dollar', 'Australian dollars', 'cent', 'cents'],
  CAD: ['Canadian dollar', 'Canadian dollars', 'cent', 'cents'],
}

type GermanNames = readonly [one: string, many: string, cents: string]

export const germanCurrencies: Readonly<Record<Currency, GermanNames>> = {
  EUR: ['ein Euro', 'Euro', 'Cent'],
  USD: ['ein Dollar', 'Dollar', 'Cent'],
  GBP: ['ein Pfund', 'Pfund', 'Pence'],
  CHF: ['ein Franken', 'Franken', 'Rappen'],
  JPY: ['ein Yen', 'Yen', 'Sen'],
  CNY: ['ein Yuan', 'Yuan', 'Fen'],
  INR: ['eine Rupie', 'Rupien', 'Paisa'],
  TRY: ['eine Lira', 'Lira', 'Kurusch'],
  KRW: ['ein Won', 'Won', 'Jeon'],
  PLN: ['ein Zloty', 'Zloty', 'Groschen'],
  CZK: ['eine tschechische Krone', 'tschechische Kronen', 'Heller'],
  SEK: ['eine schwedische Krone', 'schwedische Kronen', 'Öre'],
  NOK: ['eine norwegische Krone', 'norwegische Kronen', 'Öre'],
  DKK: ['eine dänische Krone', 'dänische Kronen', 'Öre'],
  AUD: ['ein australischer Dollar', 'australische Dollar', 'Cent'],
  CAD: ['ein kanadischer Dollar', 'kanadische Dollar', 'Cent'],
}
