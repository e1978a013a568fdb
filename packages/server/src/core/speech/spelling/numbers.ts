/** Replacement: `$1` is a captured group, or a function gets the groups. */
type Variant = readonly [found: RegExp, written: string | ((...parts: string[]) => string)]

/** Normal spelling of a language where recognisers vary. */
export interface SpellingTable {
  /** Applied in order. A leading capital stays. */
  variants: readonly Variant[]
  numbers: NumberWords
}

/** Number words of one language. */
export interface NumberWords {
  /** Number at the start of these words, and its word count. */
  read(words: readonly string[]): { value: number; length: number } | undefined
  /** Word for 0 to 9; undefined if it depends on the next word. */
  digit(value: number, next: string): string | undefined
  /** Words for digits, valid only next to other digits. */
  besideDigits: Readonly<Record<string, number>>
  /** Words next to which a number is part of a time, a date or a measure, and stays in digits. */
  keepsDigits: RegExp
  /** A number with a full stop within a sentence is an ordinal. */
  ordinals: boolean
  /** Thousands separator. */
  thousandsMark: ',' | '.'
}

/** Word or number of the text, or the text between two of them. */
interface Token {
  text: string
  isWord: boolean
}

interface Run {
  /** Digits of each number. */
  numbers: string[]
  /** Length in tokens. */
  length: number
  /** Separated by commas. */
  commas: boolean
}

const tokens = (text: string): Token[] =>
  Array.from(text.matchAll(/[\p{L}\p{M}']+|\d+|[^\p{L}\p{M}\d']+/gu), ([token]) => ({ text: token, isWord: /[\p{L}\d]/u.test(token) }))

const withoutThousandsMarks = (text: string, mark: ',' | '.'): string =>
  text.replaceAll(new RegExp(String.raw`(?<![\d.,])\d{1,3}(?:[${mark}]\d{3})+(?![\d]|[.,]\d)`, 'gu'), (number) =>
    number.replaceAll(mark, ''),
  )

/** Normalises the numbers of a text. */
export const numbersIn = (text: string, language: NumberWords): string => {
  const all = tokens(withoutThousandsMarks(text, language.thousandsMark))
  let written = ''
  for (let at = 0; at < all.length;) {
    const run = all[at]?.isWord ? runAt(all, at, language) : undefined
    written += run ? writtenRun(run, all, at, language) : (all[at]?.text ?? '')
    at += run?.length ?? 1
  }
  return written
}

const runAt = (all: readonly Token[], start: number, language: NumberWords): Run | undefined => {
  const numbers: string[] = []
  let [at, end, commas] = [start, start, false]
  for (let number = numberAt(all, at, language); number; number = numberAt(all, at, language)) {
    if (number.beside && numbers.length === 0 && !numberAt(all, at + 2, language)) break
    numbers.push(number.digits)
    end = at + number.length
    const gap = all[end]?.text ?? ''
    if (!/^(?:,? |-)$/.test(gap)) break
    // The gap belongs to the run only if another number follows.
    const goesOn = numberAt(all, end + 1, language)
    if (!goesOn) break
    commas ||= gap.startsWith(',')
    at = end + 1
  }
  return numbers.length === 0 ? undefined : { numbers, length: end - start, commas }
}

const numberAt = (
  all: readonly Token[],
  at: number,
  language: NumberWords,
): { digits: string; length: number; beside?: true } | undefined => {
  const first = all[at]
  if (!first?.isWord) return undefined
  if (/^\d+$/.test(first.text)) return { digits: first.text, length: 1 }
  const words: string[] = []
  for (let i = at; all[i]?.isWord && words.length < maxNumberLength; i += 2) {
    words.push(all[i]!.text.toLowerCase())
    if (!/^[ -]$/.test(all[i + 1]?.text ?? '')) break
  }
  const found = language.read(words)
  if (found) return { digits: String(found.value), length: 2 * found.length - 1 }
  const beside = language.besideDigits[words[0] ?? '']
  return beside === undefined ? undefined : { digits: String(beside), length: 1, beside: true }
}
/** Words of "nine hundred and ninety nine thousand nine hundred and ninety nine". */
const maxNumberLength = 11

const writtenRun = ({ numbers, length, commas }: Run, all: readonly Token[], at: number, language: NumberWords): string => {
  const asFound = all
    .slice(at, at + length)
    .map(({ text }) => text)
    .join('')
  const [before, after] = [all[at - 1]?.text ?? '', all[at + length]?.text ?? '']
  const isGlued =
    /[^\s("»„]$/u.test(before) ||
    /^(?:\s?[%°€$£]|\p{L})/u.test(after) ||
    (/^[-/_.,:]$/u.test(after) && all[at + length + 1]?.isWord === true)
  if (numbers.length === 1) return isGlued ? asFound : single(numbers[0]!, asFound, { all, at, length }, language)
  const year = isGlued || /\d/.test(asFound) ? undefined : yearOf(numbers)
  if (year !== undefined) return year
  const digits = numbers.every((number) => number.length === 1)
  if (digits && (numbers.length > 2 || !commas)) return numbers.join(' ')
  return isGlued ? asFound : separately({ all, at, length }, language)
}

interface Place {
  all: readonly Token[]
  at: number
  length: number
}

const single = (digits: string, asFound: string, { all, at, length }: Place, language: NumberWords): string => {
  if (digits.length > 1) return digits
  const [previous, next, gap] = [all[at - 2]?.text ?? '', all[at + length + 1]?.text ?? '', all[at + length]?.text ?? '']
  const follows = gap.startsWith(' ') ? next : ''
  const isOrdinal = language.ordinals && gap.startsWith('. ') && next !== ''
  if (isOrdinal || language.keepsDigits.test(follows)) return digits
  if (!/^\d$/.test(asFound) || (all[at - 1]?.text === ' ' && language.keepsDigits.test(previous))) return asFound
  const word = language.digit(Number(digits), follows)
  if (word === undefined) return asFound
  const begins = at === 0 || /[.!?]\s*$/u.test(all[at - 1]?.text ?? '')
  return begins ? word.charAt(0).toUpperCase() + word.slice(1) : word
}

/** Normalises each number of a list separately. */
const separately = ({ all, at, length }: Place, language: NumberWords): string => {
  let written = ''
  for (let i = at; i < at + length;) {
    const number = all[i]?.isWord ? numberAt(all, i, language) : undefined
    const found = all
      .slice(i, i + (number?.length ?? 1))
      .map(({ text }) => text)
      .join('')
    written += number && !number.beside ? single(number.digits, found, { all, at: i, length: number.length }, language) : found
    i += number?.length ?? 1
  }
  return written
}

/** Nineteen ninety-nine, twenty twenty-six. */
const yearOf = (numbers: readonly string[]): string | undefined => {
  const [century = '', years = ''] = numbers
  return numbers.length === 2 && /^(?:19|20)$/.test(century) && /^[1-9]\d$/.test(years) ? century + years : undefined
}
