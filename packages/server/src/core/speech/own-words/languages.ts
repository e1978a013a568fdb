import { mainLanguage } from '../words/main-language.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { spanish } from './spanish.ts'
import type { OwnWords } from './own-words.ts'

const languages: ReadonlyMap<string, OwnWords> = new Map([
  ['en', english],
  ['de', german],
  ['fr', french],
  ['es', spanish],
  ['it', italian],
])

/** `language`: BCP 47. English for all that we have no words in. */
export const ownWords = (language: string): OwnWords => languages.get(mainLanguage(language)) ?? english

export const hasOwnWords = (language: string): boolean => languages.has(mainLanguage(language))
