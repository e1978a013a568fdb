import { fillWords } from './fill-words.ts'

/** What is longer is no word; a document of such would fill the index. */
const maxWordLength = 40
export const chunkLength = 4
/** Pieces stand in the same table as words. */
const piece = '~'

/** In small letters, without accents and dots, as people say and write it. */
export const plain = (text: string): string =>
  text.toLowerCase().replaceAll('ß', 'ss').replaceAll('æ', 'ae').replaceAll('œ', 'oe').normalize('NFKD').replaceAll(/\p{M}/gu, '')

export const wordsOf = (text: string): string[] =>
  (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length <= maxWordLength && !fillWords.has(word))

/** Endings that German and English put to the same word; crude, but the same for question and document. */
const ending = /(?:ungen|innen|ings?|ung|ern|est|ies|ers?|en|em|es|ed|s|e|n|y)$/

export const stemOf = (word: string): string => {
  if (word.length < 4 || /\d/.test(word)) return word
  const stem = word.replace(word.length === 4 ? /s$/ : ending, '')
  return stem.length >= 3 ? stem : word
}

/** Four letters each, overlapping: so “Parkplätze” is found in “Kundenparkplatz”. */
export const piecesOf = (word: string): string[] => {
  if (word.length < chunkLength || /\d/.test(word)) return []
  const pieces = new Set<string>()
  for (let at = 0; at + chunkLength <= word.length; at++) pieces.add(piece + word.slice(at, at + chunkLength))
  return [...pieces]
}

/** Every term of a text, with how often it is there. */
export const countTerms = (text: string): { terms: Map<string, number>; words: number } => {
  const terms = new Map<string, number>()
  const words = wordsOf(text)
  const add = (term: string): void => void terms.set(term, (terms.get(term) ?? 0) + 1)
  for (const word of words) {
    add(stemOf(word))
    for (const one of piecesOf(word)) add(one)
  }
  return { terms, words: words.length }
}
