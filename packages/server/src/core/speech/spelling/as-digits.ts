import { mainLanguage } from '../text-normalization/main-language.ts'

interface DigitWords {
  digits: ReadonlyMap<string, string>
  /** Homophones that recognisers write for a digit. */
  alike: ReadonlyMap<string, string>
  /** Repetitions of the next digit. */
  times: ReadonlyMap<string, number>
}

const mapOf = (words: Record<string, string>): ReadonlyMap<string, string> =>
  new Map(Object.entries(words).flatMap(([digit, all]) => all.split(' ').map((word) => [word, digit] as const)))

const english: DigitWords = {
  digits: mapOf({ 0: 'zero', 1: 'one', 2: 'two', 3: 'three', 4: 'four', 5: 'five', 6: 'six', 7: 'seven', 8: 'eight', 9: 'nine' }),
  alike: mapOf({ 0: 'oh o owe', 1: 'won', 2: 'to too', 3: 'tree free', 4: 'for fore', 6: 'sick sicks sex', 8: 'aid ate hate' }),
  times: new Map([
    ['double', 2],
    ['triple', 3],
  ]),
}

const german: DigitWords = {
  digits: mapOf({ 0: 'null', 1: 'eins', 2: 'zwei zwo', 3: 'drei', 4: 'vier', 5: 'fünf', 6: 'sechs', 7: 'sieben', 8: 'acht', 9: 'neun' }),
  alike: mapOf({ 0: 'o oh', 1: 'ein eines', 2: 'zwar', 4: 'fier wir', 6: 'sex', 8: 'achte' }),
  times: new Map([['zweimal', 2]]),
}

const languages: Readonly<Record<string, DigitWords>> = { en: english, de: german }

type Kind = 'digit' | 'alike' | 'times' | 'other'

interface Word {
  text: string
  kind: Kind
  /** Digits it stands for, or would. */
  digits: string
  /** Text between it and the next word. */
  gap: string
}

/**
 * For answers to a digit question ("expects"): converts digit words, and homophones next to digits or if no other words occur: "Aid." is
 * 8, "five for too" is 5 4 2. Other words stay.
 */
export const asDigits = (text: string, language: string): string => {
  const table = languages[mainLanguage(language)]
  if (!table) return text
  const words = acceptedDigits(wordsOf(text, table))
  const before = /^[^\p{L}\d]*/u.exec(text)?.[0] ?? ''
  return before + words.map((word, index) => written(word, words[index + 1])).join('')
}

const wordsOf = (text: string, { digits, alike, times }: DigitWords): Word[] =>
  Array.from(text.matchAll(/([\p{L}\p{M}']+|\d+)([^\p{L}\d]*)/gu), ([, found = '', gap = '']): Word => {
    const word = found.toLowerCase()
    const digit = /^\d+$/.test(word) ? word : digits.get(word)
    if (digit !== undefined) return { text: found, kind: 'digit', digits: digit, gap }
    const sound = alike.get(word)
    if (sound !== undefined) return { text: found, kind: 'alike', digits: sound, gap }
    return { text: found, kind: times.has(word) ? 'times' : 'other', digits: '', gap }
  }).map((word, index, all) => repeated(word, all[index - 1], times))

/** "Double five" is 5 5. */
const repeated = (word: Word, previous: Word | undefined, times: DigitWords['times']): Word => {
  const count = previous?.kind === 'times' ? (times.get(previous.text.toLowerCase()) ?? 1) : 1
  return word.digits.length === 1 ? { ...word, digits: Array<string>(count).fill(word.digits).join(' ') } : word
}

/** Accepts homophones as digits next to digits, or if there are no other words. */
const acceptedDigits = (words: readonly Word[]): Word[] => {
  const all = words.every(({ kind }) => kind !== 'other')
  const kinds = words.map(({ kind }) => kind)
  const spread = (index: number, peerNode: number): void => {
    if (kinds[index] === 'alike' && (all || kinds[peerNode] === 'digit' || kinds[peerNode] === 'times')) kinds[index] = 'digit'
  }
  for (let i = 0; i < kinds.length; i++) spread(i, i - 1)
  for (let i = kinds.length - 1; i >= 0; i--) spread(i, i + 1)
  return words.map((word, index) => ({ ...word, kind: kinds[index]! }))
}

const written = ({ text, kind, digits, gap }: Word, next: Word | undefined): string => {
  const beforeDigit = next?.kind === 'digit'
  if (kind === 'times' && beforeDigit) return ''
  if (kind !== 'digit') return text + gap
  return digits + (beforeDigit || next?.kind === 'times' ? ' ' : gap)
}
