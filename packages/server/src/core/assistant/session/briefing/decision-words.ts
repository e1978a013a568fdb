import { hasSystemPhrases, systemPhrases } from '#core/speech/system-phrases/languages.ts'
import type { SystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'

/** A decision is short; a target that says more has something else to say. */
const maxWords = 6

const kinds = ['yes', 'no', 'beside'] as const
type Kind = (typeof kinds)[number]

/** What the target that was asked wants, if nothing is said that could mean something else. Undefined: that is not clear. */
export const readDecision = (text: string, languages: readonly string[]): 'accepted' | 'declined' | undefined => {
  const lists = languages.filter(hasSystemPhrases).map((language) => listsOf(systemPhrases(language)))
  const said = wordsIn(text)
  if (said.length === 0 || said.length > maxWords) return undefined
  const meant = said.map((word) => kinds.filter((kind) => lists.some((list) => list[kind].includes(word))))
  if (meant.some((of) => of.length === 0)) return undefined
  const says = (kind: Kind): boolean => meant.some((of) => of.includes(kind))
  if (says('yes') === says('no')) return undefined
  return says('yes') ? 'accepted' : 'declined'
}

const listsOf = ({ answers }: SystemPhrases): Record<Kind, string[]> => {
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
