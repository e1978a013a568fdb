import { amount, notInside, readAmount, sayAmount } from './amounts.ts'
import type { Currency, Wording } from './wording.ts'

const currencyMarks: Record<string, Currency> = {
  '€': 'EUR',
  EUR: 'EUR',
  Euro: 'EUR',
  euros: 'EUR',
  euro: 'EUR',
  $: 'USD',
  USD: 'USD',
  Dollar: 'USD',
  dollars: 'USD',
  '£': 'GBP',
  GBP: 'GBP',
  CHF: 'CHF',
  Franken: 'CHF',
}
const mark = String.raw`(?:€|\$|£|EUR|USD|GBP|CHF)`
const scale = String.raw`(?:\s?(million|billion|trillion|Millionen|Milliarden|Million|Milliarde|Mio\.?|Mrd\.?|Tsd\.|bn|[kKMmB])(?!\p{L}))?`
/** "20,- €" has no cents. */
const none = String.raw`(?:,[-–])?`
const range = new RegExp(`${notInside}(${mark}) ?(${amount}) ?[–-] ?\\1?(?=(?:${amount})(?![\\p{L}\\d-]))`, 'gu')
const markFirst = new RegExp(`${notInside}(${mark})\\s?(${amount})${scale}`, 'gu')
const markLast = new RegExp(`${notInside}(${amount})${none}${scale}\\s?(${mark}|Euro|euros?|Dollar|dollars|Franken)(?!\\p{L})`, 'gu')
const each =
  /(?<=[\d€$£FRD%]) ?\/ ?(?=(?:month|year|day|hour|week|night|person|Monat|Jahr|Tag|Stunde|Woche|Nacht|Person|Stück|kg|h)(?!\p{L}))/gu

const sayMoney = (written: string, scaleWord: string | undefined, markWritten: string, wording: Wording): string => {
  const currency = currencyMarks[markWritten] ?? 'EUR'
  const scaled = scaleWord === undefined ? undefined : wording.scales[scaleWord]
  if (scaled) {
    const [one, many] = scaled
    return `${sayAmount(written, wording, one)} ${written === '1' ? one : many} ${wording.currency(currency)}`
  }
  const { whole, fraction } = readAmount(written, wording)
  const money = wording.money({ whole, currency, ...(fraction !== undefined && { cents: fraction.padEnd(2, '0').slice(0, 2) }) })
  return scaleWord === undefined ? money : `${money} ${scaleWord}`
}

/** $5–10: before other ranges. */
export const sayMoneyRangesIn = (text: string, wording: Wording): string =>
  text.replace(range, (_, written: string, from: string) => `${sayAmount(from, wording)} ${wording.to} ${written}`)

export const sayMoneyIn = (text: string, wording: Wording): string =>
  text
    .replace(each, ` ${wording.per} `)
    .replace(markFirst, (_, written: string, number: string, scale: string | undefined) => sayMoney(number, scale, written, wording))
    .replace(markLast, (_, number: string, scale: string | undefined, written: string) => sayMoney(number, scale, written, wording))
