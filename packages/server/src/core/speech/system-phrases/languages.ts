import { mainLanguage } from '../text-normalization/main-language.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { spanish } from './spanish.ts'
import type { SystemPhrases } from './system-phrases.ts'

const languages: ReadonlyMap<string, SystemPhrases> = new Map([
  ['en', english],
  ['de', german],
  ['fr', french],
  ['es', spanish],
  ['it', italian],
])

/** `language`: BCP 47. English for all that we have no words in. */
export const systemPhrases = (language: string): SystemPhrases => languages.get(mainLanguage(language)) ?? english

export const hasSystemPhrases = (language: string): boolean => languages.has(mainLanguage(language))
