import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'

export interface WordErrors {
  /** Words that are wrong, missing or extra. */
  errors: number
  /** Words said. */
  words: number
}

/** Spellings that sound the same. */
const spellings: Record<string, string> = { ok: 'okay', dialled: 'dialed', cancelled: 'canceled', alright: 'right', til: 'till' }

/** Contractions that sound like their written-out form. */
const contractions: [RegExp, string][] = [
  [/won't/g, 'will not'],
  [/can't/g, 'can not'],
  [/n't/g, ' not'],
  [/'re/g, ' are'],
  [/'m/g, ' am'],
  [/'ll/g, ' will'],
  [/'ve/g, ' have'],
  [/'s/g, ' is'],
]

const expanded = (text: string, language: string): string =>
  language.startsWith('en') ? contractions.reduce((words, [short, long]) => words.replace(short, long), text) : text

/** Lower case, no punctuation, numbers as words. */
export const plainWords = (text: string, language: string): string[] =>
  spokenText(expanded(text.toLowerCase().replaceAll('’', "'"), language), language)
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}']+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '' && word !== "'")
    .map((word) => spellings[word] ?? word)

/** Number of words to change, add or remove to turn one text into the other. */
export const wordErrors = (said: string, heard: string, language = 'en'): WordErrors => {
  const wanted = plainWords(said, language)
  const got = plainWords(heard, language)
  let row = Array.from({ length: got.length + 1 }, (_, index) => index)
  for (const [i, word] of wanted.entries()) {
    const next = [i + 1]
    for (const [j, other] of got.entries()) {
      const replaced = (row[j] ?? 0) + (word === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return { errors: row.at(-1) ?? 0, words: wanted.length }
}

/** Over all pairs together: long sentences count more than short ones. */
export const wordErrorRate = (pairs: Iterable<{ said: string; heard: string }>, language = 'en'): number => {
  const counts = Array.from(pairs, ({ said, heard }) => wordErrors(said, heard, language))
  const sum = (of: (count: WordErrors) => number): number => counts.reduce((total, count) => total + of(count), 0)
  return (
    sum(({ errors }) => errors) /
    Math.max(
      1,
      sum(({ words }) => words),
    )
  )
}
