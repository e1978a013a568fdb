import { plainWords, wordErrors } from '#adapters/speech/callers/word-errors.ts'

export interface Pair {
  said: string
  heard: string
  language: string
}

export interface WordScore {
  recordings: number
  words: number
  /** Errors divided by all words said. */
  errorRate: number
  /** Recordings without any error. */
  exact: number
  /** Recordings with an empty transcript. */
  lost: number
}

/** Transcripts use accents inconsistently, and the Spanish one has none. */
const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').normalize('NFC')
const spelled = (text: string, language: string): string => (language === 'en' || language === 'de' ? text : withoutAccents(text))

export const scoreWords = (pairs: readonly Pair[]): WordScore => {
  const counts = pairs.map(({ said, heard, language }) => wordErrors(spelled(said, language), spelled(heard, language), language))
  const words = counts.reduce((sum, count) => sum + count.words, 0)
  const errors = counts.reduce((sum, count) => sum + count.errors, 0)
  return {
    recordings: pairs.length,
    words,
    errorRate: errors / Math.max(1, words),
    exact: counts.filter((count) => count.errors === 0).length,
    lost: pairs.filter(({ heard, language }) => plainWords(heard, language).length === 0).length,
  }
}

export const wordCount = (text: string, language: string): number => plainWords(text, language).length
