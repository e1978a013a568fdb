import { english } from './english-wording.ts'
import { german } from './german-wording.ts'
import type { Wording } from './wording.ts'

/** `de` of `de-AT`. */
export const mainLanguage = (language: string): string => language.slice(0, /[-_]|$/.exec(language)?.index).toLowerCase()

const wordings: ReadonlyMap<string, Wording> = new Map(Object.entries({ en: english, de: german }))

/** Undefined: this language's voices must know their numbers themselves. */
export const wordingOf = (language: string): Wording | undefined => wordings.get(mainLanguage(language))
