import { digitsOf, isLetterO, isTens, repeatsOf } from './number-words.ts'

/** A word of a text that may be a part of a number. */
export interface Token {
  from: number
  to: number
  /** Digits, or letters and digits in capitals. */
  value: string
  digits: boolean
  /** Nothing but a space or a mark lies between it and the one before. */
  joined: boolean
  /** It is written or said with a plus before it. */
  plus: boolean
}

/** What may lie inside a number that is written, or dictated in groups. */
const joins = /^(?:[\s()/,–—-]{0,4}|\.\s{1,3})$/
/** Longer words are no part of an account's number. */
const maxCodeLength = 34
const maxWordLength = 4

const isCode = (word: string): boolean => word.length <= maxWordLength || (word.length <= maxCodeLength && /\d/.test(word))

/** The parts of numbers in a text, spoken or written, in their order. */
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
