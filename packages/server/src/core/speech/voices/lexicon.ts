import type { Pronunciation } from '#core/kernel/ports/store/assistant.ts'
import type { WordInIpa } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '../text-normalization/main-language.ts'

/** A flow's pronunciations of names. */
export class Lexicon {
  readonly #respelled: readonly Pronunciation[]
  readonly #ipa: readonly Pronunciation[]

  constructor(entries: readonly Pronunciation[]) {
    const trimmed = entries.map((entry) => ({ ...entry, word: entry.word.trim(), say: entry.say.trim() })).filter(({ word }) => word !== '')
    this.#respelled = trimmed.filter(({ say }) => !isIpa(say))
    this.#ipa = trimmed.filter(({ say }) => isIpa(say))
  }

  /** Replaces words by their spelling; before text normalization, which would change them. */
  respell(text: string, language: string): string {
    const entries = inLanguage(this.#respelled, language)
    if (entries.length === 0) return text
    const spellings = new Map(entries.map(({ word, say }) => [word.toLowerCase(), say]))
    return text.replace(anyOf(entries.map(({ word }) => word)), (found) => spellings.get(found.toLowerCase()) ?? found)
  }

  /** Words of the text that are given in IPA. */
  ipaIn(text: string, language: string): WordInIpa[] {
    return wordsIn(
      text,
      inLanguage(this.#ipa, language).map(({ word, say }) => ({ word, ipa: say.slice(1, -1).trim() })),
    )
  }
}

/** Those that occur in the text. */
export const wordsIn = (text: string, words: readonly WordInIpa[]): WordInIpa[] => words.filter(({ word }) => anyOf([word]).test(text))

const isIpa = (say: string): boolean => /^\/.+\/$/.test(say)

const inLanguage = (entries: readonly Pronunciation[], tag: string): readonly Pronunciation[] =>
  entries.filter(({ language }) => language === undefined || mainLanguage(language) === mainLanguage(tag))

/** Whole words, in any case; the longest wins. */
export const anyOf = (words: readonly string[]): RegExp => {
  const sources = words.toSorted((a, b) => b.length - a.length).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${sources.join('|')})(?![\p{L}\p{N}])`, 'giu')
}
