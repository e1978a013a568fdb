import { lexiconOf, type Lexicon } from './lexicon.ts'
import { spokenWords } from './spoken-words.ts'

/** What a text says about a number that is read out. */
export interface SpokenDigits {
  /** In the whole text. */
  count: number
  /** The last word is one. */
  atEnd: boolean
  /**
   * Numbers of phones, customers and accounts are said in groups: two digits one by one at the end, or three together, are likely to be a
   * part of one.
   */
  group: boolean
}

/** With "double" and "triple" the next digit counts that often: the word itself for all but one. */
const times: ReadonlyMap<string, number> = new Map([
  ['double', 1],
  ['triple', 2],
])
const tens = /^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)$/

export const spokenDigits = (text: string, language: string): SpokenDigits => {
  const lexicon = lexiconOf(language)
  const words = spokenWords(text)
  const each = words.map((word, index) => digitsIn(word, words[index + 1], lexicon))
  const last = words.at(-1) ?? ''
  const atEnd = (each.at(-1) ?? 0) > 0
  return {
    count: each.reduce((sum, digits) => sum + digits, 0),
    atEnd,
    group: atEnd && (/^\d{3,}$/.test(last) || (each.at(-2) ?? 0) > 0),
  }
}

const digitsIn = (word: string, next: string | undefined, lexicon: Lexicon | undefined): number => {
  if (/^\d+$/.test(word)) return word.length
  const more = times.get(word)
  if (more !== undefined) return more
  if (tens.test(word)) return next !== undefined && lexicon?.digits.get(next) === 1 ? 1 : 2
  return lexicon?.digits.get(word) ?? 0
}
