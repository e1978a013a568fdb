import type { redactions } from '@offhook/contract/v3/flow-values.ts'

export type Redaction = (typeof redactions)[number]

interface Range {
  from: number
  to: number
  as: Redaction
}

/** Minimum length of a run: fewer digits are hours, amounts, floors. */
const minDigits = 4
const cardDigits = { min: 13, most: 19 }
const phoneDigits = { min: 6, most: 15 }
/** Digits that make a phone number regardless of its prefix. */
const certainPhoneNumber = 10
const ibanLength = { min: 15, most: 34 }

/** `max@example.com`, and its spoken form: max dot power at example dot com, max punkt muster ät beispiel punkt de. */
const writtenEmail = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu
const spokenEmail =
  /[\p{L}\p{N}]{1,64}(?:\s{1,3}(?:dot|punkt|point|dash|minus|underscore|unterstrich)\s{1,3}[\p{L}\p{N}]{1,64}){0,4}\s{1,3}(?:at|ät|et|klammeraffe)\s{1,3}[\p{L}\p{N}-]{1,63}(?:\s{1,3}(?:dash|minus)\s{1,3}[\p{L}\p{N}]{1,63}){0,3}(?:\s{1,3}(?:dot|punkt|point)\s{1,3}\p{L}{2,24}){1,3}/giu

/** Replaces sensitive parts of the text with `[card]`, `[iban]`, `[email]`, `[phone]`, `[digits]`. */
export const redactText = (text: string, kinds: readonly Redaction[]): string => {
  if (text.length < minDigits) return text
  const ranges: Range[] = []
  const taken = new Uint8Array(text.length)
  const isFree = ({ from, to }: { from: number; to: number }): boolean => !taken.subarray(from, to).includes(1)
  const add = (found: readonly Range[]): void => {
    for (const one of found.filter(isFree)) {
      ranges.push(one)
      taken.fill(1, one.from, one.to)
    }
  }
  if (kinds.includes('email')) add([...text.matchAll(writtenEmail), ...text.matchAll(spokenEmail)].map(emailRange))
  const tokens = tokensOf(text)
  if (kinds.includes('iban')) add(ibansIn(tokens))
  for (const run of runsOf(tokens, isFree)) add(numbersIn(run, kinds))
  return replaced(text, ranges)
}

const emailRange = ({ 0: found, index }: RegExpExecArray): Range => ({ from: index, to: index + found.length, as: 'email' })

/** Consecutive digits that are not part of another match. */
const runsOf = (tokens: readonly Token[], isFree: (token: Token) => boolean): Token[][] => {
  const runs: Token[][] = []
  let isOpen = false
  for (const token of tokens) {
    const counts = token.digits && isFree(token)
    if (counts && isOpen && token.joined && !token.plus) runs.at(-1)?.push(token)
    else if (counts) runs.push([token])
    isOpen = counts
  }
  return runs
}

const valueOf = (tokens: readonly Token[]): string => tokens.map(({ value }) => value).join('')

const rangeOf = (tokens: readonly Token[], as: Redaction): Range => ({ from: tokens[0]?.from ?? 0, to: tokens.at(-1)?.to ?? 0, as })

/** Finds the longest card from each position; the digits between cards are checked separately. */
const numbersIn = (run: readonly Token[], kinds: readonly Redaction[]): Range[] => {
  const found: Range[] = []
  let rest: Token[] = []
  const settle = (): void => {
    found.push(...restIn(rest, kinds))
    rest = []
  }
  for (let at = 0; at < run.length; at++) {
    const card = kinds.includes('card') ? cardFrom(run, at) : undefined
    if (!card) {
      rest.push(run[at] as Token)
      continue
    }
    settle()
    found.push(rangeOf(card, 'card'))
    at += card.length - 1
  }
  settle()
  return found
}

const restIn = (run: readonly Token[], kinds: readonly Redaction[]): Range[] => {
  const digits = valueOf(run)
  if (kinds.includes('phone') && isPhone(digits, run[0]?.plus === true)) return [rangeOf(run, 'phone')]
  return kinds.includes('digits') && digits.length >= minDigits ? [rangeOf(run, 'digits')] : []
}

const isPhone = (digits: string, plus: boolean): boolean =>
  digits.length >= phoneDigits.min &&
  digits.length <= phoneDigits.most &&
  (plus || digits.startsWith('0') || digits.length >= certainPhoneNumber)

const cardFrom = (run: readonly Token[], at: number): Token[] | undefined => {
  let longest: Token[] | undefined
  let value = ''
  for (let end = at; end < run.length && value.length < cardDigits.most; end++) {
    value += run[end]?.value ?? ''
    if (value.length >= cardDigits.min && value.length <= cardDigits.most && hasLuhnSum(value)) longest = run.slice(at, end + 1)
  }
  return longest
}

const zero = '0'.charCodeAt(0)

/** ISO/IEC 7812. */
export const hasLuhnSum = (digits: string): boolean => {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const value = (digits.charCodeAt(digits.length - 1 - index) - zero) * (index % 2 === 0 ? 1 : 2)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

const ibansIn = (tokens: readonly Token[]): Range[] => {
  const found: Range[] = []
  for (let at = 0; at < tokens.length; at++) {
    const iban = ibanFrom(tokens, at)
    if (!iban) continue
    found.push(rangeOf(iban, 'iban'))
    at += iban.length - 1
  }
  return found
}

/** Two letters and two digits, or a prefix of that. */
const ibanStart = /^[A-Z](?:$|[A-Z](?:$|\d(?:$|\d)))/

const ibanFrom = (tokens: readonly Token[], at: number): Token[] | undefined => {
  let longest: Token[] | undefined
  let value = ''
  for (let end = at; end < tokens.length && value.length < ibanLength.most; end++) {
    const token = tokens[end]
    if (!token || (end > at && !token.joined)) break
    value += token.value
    if (!ibanStart.test(value)) break
    if (value.length >= ibanLength.min && value.length <= ibanLength.most && isIban(value)) longest = tokens.slice(at, end + 1)
  }
  return longest
}

/** ISO 13616: move the first four characters to the end, map letters to 10–35; the remainder modulo 97 must be 1. */
export const isIban = (value: string): boolean => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(value)) return false
  let rest = 0
  for (const character of value.slice(4) + value.slice(0, 4))
    for (const digit of String(parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

const replaced = (text: string, ranges: readonly Range[]): string => {
  let [written, at] = ['', 0]
  for (const { from, to, as } of ranges.toSorted((one, other) => one.from - other.from)) {
    written += `${text.slice(at, from)}[${as}]`
    at = to
  }
  return written + text.slice(at)
}

/** Word of a text that may be part of a number. */
interface Token {
  from: number
  to: number
  /** Digits, or letters and digits in capitals. */
  value: string
  digits: boolean
  /** Separated from the previous token only by a space or punctuation. */
  joined: boolean
  /** Preceded by a written or spoken plus. */
  plus: boolean
}

/** Separators inside a number that is written, or dictated in groups. */
const joins = /^(?:[\s()/,–—-]{0,4}|\.\s{1,3})$/
/** Maximum length of a word within an IBAN. */
const maxCodeLength = 34
const maxWordLength = 4

const isCode = (word: string): boolean => word.length <= maxWordLength || (word.length <= maxCodeLength && /\d/.test(word))

/** Parts of numbers in a text, spoken or written, in order. */
export const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  let [end, repeat, plus, broken] = [0, 1, false, true]
  let start: number | undefined
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const between = text.slice(end, index)
    const joined = !broken && joins.test(between.replace('+', ''))
    end = index + word.length
    const last = joined ? tokens.at(-1) : undefined
    const times = repeatsOf(word)
    if (times !== undefined || /^plus$/i.test(word)) {
      start ??= index
      if (times === undefined) plus = true
      else repeat = times
      continue
    }
    const digits = /^\d+$/.test(word) ? word : (digitsOf(word) ?? (last?.digits && isLetterO(word) ? '0' : undefined))
    broken = digits === undefined && !isCode(word)
    if (last && digits !== undefined && digits.length === 1 && digits !== '0' && repeat === 1 && isOpenTens(text, last)) {
      last.value = `${last.value.slice(0, -1)}${digits}`
      last.to = end
    } else if (!broken)
      tokens.push({
        from: start ?? index - (/[+(]+$/.exec(between)?.[0].length ?? 0),
        to: end,
        value: digits === undefined ? word.toUpperCase() : digits.repeat(repeat),
        digits: digits !== undefined,
        joined,
        plus: plus || /\+\(?$/.test(between),
      })
    ;[repeat, plus, start] = [1, false, undefined]
  }
  return tokens
}

const isOpenTens = (text: string, { from, to }: Token): boolean => isTens(text.slice(from, to))

/** English and German number words below a hundred, as recognisers write them, with their digits. */
const units: Readonly<Record<string, string>> = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  null: '0',
  eins: '1',
  zwei: '2',
  zwo: '2',
  drei: '3',
  vier: '4',
  fünf: '5',
  fuenf: '5',
  sechs: '6',
  sieben: '7',
  acht: '8',
  neun: '9',
}

const teens = [
  ['ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
  ['zehn', 'elf', 'zwölf', 'dreizehn', 'vierzehn', 'fünfzehn', 'sechzehn', 'siebzehn', 'achtzehn', 'neunzehn'],
]
const englishTens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const germanTens = ['zwanzig', 'dreißig', 'vierzig', 'fünfzig', 'sechzig', 'siebzig', 'achtzig', 'neunzig']
/** As in einundzwanzig. */
const germanUnits = ['ein', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun']

const spelled = (word: string): string => word.replaceAll('ß', 'ss')

const numbers = new Map<string, string>(Object.entries(units))
for (const words of teens) for (const [index, word] of words.entries()) numbers.set(word, String(10 + index))
for (const [index, word] of englishTens.entries()) numbers.set(word, String(20 + 10 * index))
for (const [index, tens] of germanTens.entries()) {
  numbers.set(spelled(tens), String(20 + 10 * index))
  for (const [unit, word] of germanUnits.entries()) numbers.set(spelled(`${word}und${tens}`), String(20 + 10 * index + unit + 1))
}

const tens = new Set(englishTens)
const repeats: Readonly<Record<string, number>> = { double: 2, doppel: 2, doppelt: 2, triple: 3, dreifach: 3 }

/** Digits of a number word. */
const digitsOf = (word: string): string | undefined => numbers.get(spelled(word.toLowerCase()))

/** Twenty, thirty …, which a separate unit word may follow. */
const isTens = (word: string): boolean => tens.has(word.toLowerCase())

/** Repetitions of the next digit after double or triple. */
const repeatsOf = (word: string): number | undefined =>
  Object.hasOwn(repeats, word.toLowerCase()) ? repeats[word.toLowerCase()] : undefined

/** Spoken for zero between other digits. */
const isLetterO = (word: string): boolean => /^oh?$/i.test(word)
