import type { redactions } from '@offhook/contract/v3/flow-values.ts'
import { tokensOf, type Token } from './spoken-tokens.ts'

export type Redaction = (typeof redactions)[number]

interface Range {
  from: number
  to: number
  as: Redaction
}

/** Runs of fewer digits say little: hours, amounts, floors. */
const minDigits = 4
const cardDigits = { min: 13, most: 19 }
const phoneDigits = { min: 6, most: 15 }
/** So many digits are a phone number even if they do not begin like one. */
const certainPhoneNumber = 10
const ibanLength = { min: 15, most: 34 }

/** `max@example.com`, and as it is said: max dot power at example dot com, max punkt muster ät beispiel punkt de. */
const writtenEmail = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu
const spokenEmail =
  /[\p{L}\p{N}]{1,64}(?:\s{1,3}(?:dot|punkt|point|dash|minus|underscore|unterstrich)\s{1,3}[\p{L}\p{N}]{1,64}){0,4}\s{1,3}(?:at|ät|et|klammeraffe)\s{1,3}[\p{L}\p{N}-]{1,63}(?:\s{1,3}(?:dash|minus)\s{1,3}[\p{L}\p{N}]{1,63}){0,3}(?:\s{1,3}(?:dot|punkt|point)\s{1,3}\p{L}{2,24}){1,3}/giu

/** The text without what is not to be kept: `[card]`, `[iban]`, `[email]`, `[phone]`, `[digits]` stand in its place. */
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

/** Digits that follow each other, and are not a part of something else. */
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

/** The longest part from each place on that is one; what lies between them is looked at for itself. */
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

/** ISO/IEC 7812. */
export const hasLuhnSum = (digits: string): boolean => {
  let sum = 0
  for (const [index, digit] of digits.split('').toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
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

const ibanFrom = (tokens: readonly Token[], at: number): Token[] | undefined => {
  let longest: Token[] | undefined
  let value = ''
  for (let end = at; end < tokens.length && value.length < ibanLength.most; end++) {
    const token = tokens[end]
    if (!token || (end > at && !token.joined)) break
    value += token.value
    if (!/^[A-Z]/.test(value)) break
    if (value.length >= ibanLength.min && value.length <= ibanLength.most && isIban(value)) longest = tokens.slice(at, end + 1)
  }
  return longest
}

/** ISO 13616: the first four go to the end, letters are 10 to 35, and the rest of a division by 97 is 1. */
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
