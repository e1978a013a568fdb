import { hasSystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

/** Minimum words for one turn to determine its language; one or two words are often misidentified. */
const minSureWords = 4
/** Number of shorter consecutive turns that must agree. */
const agreeingTurns = 2

/**
 * Current language of a session, for system phrases and for the word lists of endpointing and back-channels. It is the flow's if the recogniser
 * expects it, otherwise the first expected one; among several it follows the caller. The endpoint's speech is unaffected: it uses the flow's
 * language or names its own.
 */
export class SessionLanguage {
  /** The flow's language or, if it has none, the account's (BCP 47). */
  readonly own: string
  #now: string
  #expected: readonly string[]
  #settled: string | undefined
  /** Language of the last turns while it is uncertain. */
  #hint: { language: string; turns: number } | undefined

  /** `expected`: initial languages of the recogniser. */
  constructor(own: string, expected: readonly string[] = [own]) {
    this.own = own
    this.#now = among(expected, own) === undefined ? (expected[0] ?? own) : own
    this.#expected = expected
  }

  get now(): string {
    return this.#now
  }

  /** Sets the recogniser's languages; the current one stays if it is among them, else the first applies. */
  expect(languages: readonly string[]): void {
    this.#expected = languages
    this.#hint = undefined
    this.#settled = undefined
    if (!among(languages, this.#now)) this.#now = languages[0] ?? this.own
  }

  /** Language that the caller certainly speaks, of several; the recogniser no longer needs to choose. */
  get settled(): string | undefined {
    return this.#settled
  }

  /** Handles a caller turn. Returns whether the current language changed. */
  heard({ text, language }: { text: string; language?: string | undefined }): boolean {
    const spoken = language === undefined ? undefined : among(this.#expected, language)
    const turns = (this.#hint?.language === spoken ? (this.#hint?.turns ?? 0) : 0) + 1
    const sure = turns >= agreeingTurns || text.trim().split(/\s+/).length >= minSureWords
    this.#hint = spoken === undefined || sure ? undefined : { language: spoken, turns }
    if (spoken === undefined || !sure) return false
    if (this.#expected.length > 1) this.#settled = spoken
    const changes = mainLanguage(spoken) !== mainLanguage(this.#now)
    if (changes) this.#now = spoken
    return changes
  }

  /** Resumes after a takeover. */
  resume(language: string | undefined): void {
    if (language !== undefined) this.#now = language
  }
}

/** The list's tag for this language. */
const among = (languages: readonly string[], wanted: string): string | undefined =>
  languages.find((language) => mainLanguage(language) === mainLanguage(wanted))

/** Current language; without phrases or a voice for it the flow's, else English. */
export const systemPhraseLanguage = ({ now, own }: Pick<SessionLanguage, 'now' | 'own'>, speaks: (language: string) => boolean): string =>
  [now, own].find((language) => hasSystemPhrases(language) && speaks(language)) ?? 'en'
