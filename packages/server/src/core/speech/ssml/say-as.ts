import { sayAmount, sayDigits } from '../text-normalization/amounts.ts'
import { spell } from '../text-normalization/capitals-in-text.ts'
import { spokenText } from '../text-normalization/spoken-text.ts'
import { calendarDate, type Wording } from '../text-normalization/wording.ts'
import { wordingOf } from '../text-normalization/wordings.ts'

export interface SayAs {
  as: string
  format?: string | undefined
  language: string
  /** What is said right before, for languages that decline. */
  before: string
}

type Way = (text: string, wording: Wording, input: SayAs) => string

const digitsOnly = (text: string): string => text.replace(/[\s.,-]/g, '')

const sayDate: Way = (text, wording, { format = '', language, before }) => {
  const parts = /^\d{8}$/.test(text)
    ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
    : text.split(/[\s./-]+/).filter((part) => part !== '')
  if (!parts.every((part) => /^\d{1,4}$/.test(part))) return spokenText(text, language)
  const usual = parts[0]?.length === 4 ? 'ymd' : /^en(-US)?$/i.test(language) ? 'mdy' : 'dmy'
  const order = /^[ymd]{1,3}$/.test(format) && format.length >= parts.length ? format : usual
  const part = (name: string): string | undefined => parts[order.indexOf(name)]
  const date = calendarDate(part('d'), part('m'), part('y'))
  return date ? wording.date(date, before) : spokenText(text, language)
}

const sayTime: Way = (text, wording, { language }) => {
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?(?:[:.](\d{2}))?\s?(a|p)?\.?(?:m\.?)?$/i.exec(text)
  const [, hour = '99', minute = '0', second, half] = match ?? []
  if (Number(hour) > 24 || Number(minute) > 59) return spokenText(text, language)
  return wording.time({
    hour: Number(hour),
    minute: Number(minute),
    ...(second && { second: Number(second) }),
    ...(half && { half: half.toLowerCase() === 'a' ? 'am' : 'pm' }),
  })
}

const sayCardinal: Way = (text, wording, { language }) => {
  const match = /^([+-]?)(\d[\d.,]*)$/.exec(text.replace(/\s/g, ''))
  if (!match?.[2]) return spokenText(text, language)
  const sign = match[1] === '' ? '' : `${wording.symbols[match[1] as '+' | '-']} `
  return sign + sayAmount(match[2].replace(/[.,]$/, ''), wording)
}

const sayOrdinal: Way = (text, wording, { language, before }) => {
  const digits = digitsOnly(text).replace(/(?:st|nd|rd|th)$/i, '')
  return /^\d{1,15}$/.test(digits) ? wording.ordinal(digits, before) : spokenText(text, language)
}

const asText: Way = (text, _, { language }) => spokenText(text, language)
const asCharacters: Way = (text, wording) => spell(text, wording)
const asDigits: Way = (text, wording) => (/^[+\d\s().,/-]+$/.test(text) ? sayDigits(text, wording) : spell(text, wording))

const ways: Record<string, Way> = {
  digits: asDigits,
  telephone: asDigits,
  'vxml:digits': asDigits,
  'vxml:phone': asDigits,
  characters: asCharacters,
  'spell-out': asCharacters,
  verbatim: asCharacters,
  date: sayDate,
  time: sayTime,
  cardinal: sayCardinal,
  number: sayCardinal,
  ordinal: sayOrdinal,
  currency: asText,
  unit: asText,
  address: asText,
}

export const knowsSayAs = (as: string): boolean => Object.hasOwn(ways, as)

/** In languages that we have no words for, characters are said one by one, and the rest is left to the voice. */
export const sayAs = (text: string, input: SayAs): string => {
  const wording = wordingOf(input.language)
  const way = ways[input.as]
  if (way && wording) return way(text.trim(), wording, input)
  return way === asDigits || way === asCharacters ? Array.from(text.replace(/[\s-]/g, '')).join(' ') : text
}
