import { hasOwnWords, ownWords } from '#core/speech/own-words/languages.ts'
import type { OwnWords } from '#core/speech/own-words/own-words.ts'

/** A decision is short; a target that says more has something else to say. */
const mostWords = 6

const kinds = ['yes', 'no', 'beside'] as const
type Kind = (typeof kinds)[number]

/** What the target that was asked wants, if nothing is said that could mean something else. Undefined: that is not clear. */
export const readDecision = (text: string, languages: readonly string[]): 'accepted' | 'declined' | undefined => {
  const lists = languages.filter(hasOwnWords).map((language) => listsOf(ownWords(language)))
  const said = wordsIn(text)
  if (said.length === 0 || said.length > mostWords) return undefined
  const meant = said.map((word) => kinds.filter((kind) => lists.some((list) => list[kind].includes(word))))
  if (meant.some((of) => of.length === 0)) return undefined
  const says = (kind: Kind): boolean => meant.some((of) => of.includes(kind))
  if (says('yes') === says('no')) return undefined
  return says('yes') ? 'accepted' : 'declined'
}

const listsOf = ({ answers }: OwnWords): Record<Kind, string[]> => {
  const { yes, no, beside } = answers
  return { yes: wordsIn(yes), no: wordsIn(no), beside: wordsIn(beside) }
}

/** Recognisers are not sure of accents and apostrophes. */
const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’](?=t\b|ll\b)/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
