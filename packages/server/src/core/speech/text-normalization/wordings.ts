import { english } from './english-wording.ts'
import { german } from './german-wording.ts'
import { mainLanguage } from './main-language.ts'
import type { Wording } from './wording.ts'

const wordings: ReadonlyMap<string, Wording> = new Map(Object.entries({ en: english, de: german }))

/** Undefined: this language's voices must know their numbers themselves. */
export const wordingOf = (language: string): Wording | undefined => wordings.get(mainLanguage(language))
