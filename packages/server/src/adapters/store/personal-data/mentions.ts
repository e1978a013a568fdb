import { digits, numberParts } from '#core/kernel/phone-numbers/phone-number.ts'

/** Identifiers of a person in any text. */
export interface Person {
  /** E.164. */
  numbers: readonly string[]
  names: readonly string[]
  emails: readonly string[]
}

export const placeholder = 'erased'

/** Characters that people write between digits. */
export const separators = [' ', '-', '/', '.', '(', ')', '\u00a0'] as const
/** Few, so that no text makes the search slow. */
const separator = String.raw`[\s()./\u00a0-]{0,3}`

/** A shorter name occurs in too many unrelated texts. */
const minNameLength = 5

/** Finds a person in texts: numbers in every usual spelling, names and e-mail addresses as whole words. */
export class Mentions {
  /** Digits common to every spelling of a number, for a search by the database. */
  readonly digits: readonly string[]
  /** Lower-case words, for a search by the database. */
  readonly words: readonly string[]
  /** The numbers as stored in columns. */
  readonly spellings: readonly string[]
  readonly #pattern: RegExp | undefined

  constructor({ numbers, names, emails }: Person) {
    const parsed = numbers.map((number) => numberParts(number) ?? { countryCode: '', national: digits(number) })
    this.digits = unique(parsed.map(({ national }) => national))
    this.spellings = unique(
      parsed.flatMap(({ countryCode, national }) =>
        [`+${countryCode}${national}`, `${countryCode}${national}`, `00${countryCode}${national}`, `0${national}`, national].filter(
          Boolean,
        ),
      ),
    )
    const words = [...names.filter((name) => name.length >= minNameLength && /\s/.test(name)), ...emails].filter((word) => word !== '')
    this.words = unique(words.flatMap((word) => [word.toLowerCase(), asciiLowered(word)]))
    const patterns = [...parsed.map(numberPattern), ...unique(words).map(wordPattern)]
    this.#pattern = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'giu')
  }

  get isEmpty(): boolean {
    return this.#pattern === undefined
  }

  redact(text: string, by: string = placeholder): string {
    return this.#pattern ? text.replace(this.#pattern, by) : text
  }

  isIn(text: string): boolean {
    return this.redact(text) !== text
  }

  /** The whole text is a number, name or address of the person. */
  isWhole(text: string): boolean {
    return this.redact(text.trim()) === placeholder
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

/** Like SQLite's lower(). */
const asciiLowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

const numberPattern = ({ countryCode, national }: { countryCode: string; national: string }): string => {
  const spaced = (text: string): string => text.split('').join(separator)
  const international = String.raw`(?:(?:\+|00|011)${separator})?${spaced(countryCode)}${separator}(?:\(?0\)?)?${separator}`
  return String.raw`(?<!\d)(?:${international}|0${separator})?${spaced(national)}(?!\d)`
}

const wordPattern = (word: string): string => {
  const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
}
