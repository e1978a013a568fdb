import type { NumberWords, SpellingTable } from './numbers.ts'

const units = 'zero one two three four five six seven eight nine'.split(' ')
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

const below20 = new Map([...units, ...teens].map((word, value) => [word, value]))
const tensOf = new Map(tens.map((word, index) => [word, 20 + 10 * index]))

interface Read {
  value: number
  length: number
}

const belowHundred = (words: readonly string[]): Read | undefined => {
  const [first = '', second = ''] = words
  const small = below20.get(first)
  if (small !== undefined) return { value: small, length: 1 }
  const ten = tensOf.get(first)
  if (ten === undefined) return undefined
  const unit = units.indexOf(second)
  return unit > 0 ? { value: ten + unit, length: 2 } : { value: ten, length: 1 }
}

/** Reads the remainder after a hundred or a thousand, optionally with "and". */
const rest = (words: readonly string[], read: (words: readonly string[]) => Read | undefined): Read => {
  const skipped = words[0] === 'and' ? 1 : 0
  const found = read(words.slice(skipped))
  return found && found.value > 0 ? { value: found.value, length: found.length + skipped } : { value: 0, length: 0 }
}

const belowThousand = (words: readonly string[]): Read | undefined => {
  const first = belowHundred(words)
  if (!first || first.value === 0 || words[first.length] !== 'hundred') return first
  const more = rest(words.slice(first.length + 1), belowHundred)
  return { value: first.value * 100 + more.value, length: first.length + 1 + more.length }
}

const read = (words: readonly string[]): Read | undefined => {
  const first = belowThousand(words)
  if (!first || first.value === 0 || words[first.length] !== 'thousand') return first
  const more = rest(words.slice(first.length + 1), belowThousand)
  return { value: first.value * 1000 + more.value, length: first.length + 1 + more.length }
}

const months = 'january|february|march|april|may|june|july|august|september|october|november|december'
const numbers: NumberWords = {
  read,
  digit: (value) => units[value],
  besideDigits: { oh: 0, o: 0 },
  keepsDigits: new RegExp(`^(?:am|pm|o'clock|percent|dollars?|euros?|pounds?|k?g|[kcm]?m|${months})$`, 'iu'),
  ordinals: false,
  thousandsMark: ',',
}

const hour = String.raw`\b(\d{1,2}|${[...units.slice(1), ...teens.slice(0, 3)].join('|')})`
const minutes = String.raw`(?:[:.]| )(\d{2}|(?:${[...teens, ...tens].join('|')})(?:[ -](?:${units.slice(1).join('|')}))?|oh (?:${units.slice(1).join('|')}))`
const half = String.raw`\s?([ap])\.?\s?m\b`
/** Digits of an hour or minutes: "oh five" is 05. */
const digits = (said: string): string => {
  if (/^\d/.test(said)) return said
  const words = said.toLowerCase().split(/[ -]/)
  return words[0] === 'oh' ? `0${units.indexOf(words[1] ?? '')}` : String(read(words)?.value ?? said)
}
/** Prefixes that are not separate words. */
const prefixes = 'anti co counter e ex inter intra mid mini mm multi non post pre pro re self semi sub t uh ultra un vice x a'
  .split(' ')
  .map(([first = '', ...others]) => `[${first}${first.toUpperCase()}]${others.join('')}`)
  .join('|')

export const english: SpellingTable = {
  variants: [
    [/\b([AaPp])\.\s?[Mm]\.(?=\s\p{Ll}|[,?!;:])/gu, '$1m'],
    [/\bgood[- ]?bye?\b(?! (?:me|you|him|her|us|them|the|a)\b)/giu, 'goodbye'],
    [/\bbye[- ]bye\b/giu, 'bye bye'],
    [/\b(?:o\.k\.|o\.k\b|ok\b)/giu, 'okay'],
    [/\be-?mail(s?)\b/giu, 'email$1'],
    [/\bvoice[- ]mail(s?)\b/giu, 'voicemail$1'],
    [/\bon-line\b/giu, 'online'],
    [/\bweb[- ]site(s?)\b/giu, 'website$1'],
    [/\b(yes|no)-(?=sir|ma'am|thank|please)/giu, '$1 '],
    [
      new RegExp(`${hour}${minutes}${half}`, 'giu'),
      (hours = '', mins = '', ap = '') => `${digits(hours)}:${digits(mins)} ${ap.toLowerCase()}m`,
    ],
    [new RegExp(`${hour}${half}`, 'giu'), (hours = '', ap = '') => `${digits(hours)} ${ap.toLowerCase()}m`],
    [new RegExp(String.raw`${hour}(?= o'clock\b)`, 'giu'), (hours = '') => digits(hours)],
    [/\b([ap])\.\s?m\./giu, '$1m.'],
    // Compounds are written with and without a hyphen; names keep theirs.
    [new RegExp(String.raw`(?<!\p{L})(?!(?:${prefixes})-)(\p{L}\p{Ll}+)-(?=\p{Ll}{2})`, 'gu'), '$1 '],
  ],
  numbers,
}
