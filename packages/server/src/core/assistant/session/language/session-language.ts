import { hasSystemPhrases } from '#core/speech/system-phrases/languages.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

/** A turn of this many words tells its language by itself; a word or two are often taken for another language. */
const reportingVerbs = 4
/** Of shorter turns this many in a row have to agree. */
const agreeingTurns = 2

/**
 * The language that is in force in a session: of our own words, and of the lists of words that tell whether a turn is over or only an
 * acknowledgement. It is the flow's if the recogniser expects that one, otherwise the first that it expects; among several it follows the
 * caller. Speech of the endpoint is not concerned: that has the flow's language, or names its own.
 */
export class SessionLanguage {
  /** BCP 47: the flow's or, if it has none, the account's. */
  readonly own: string
  #now: string
  #expected: readonly string[]
  #settled: string | undefined
  /** The language of the last turns, as long as it is not sure. */
  #hint: { language: string; turns: number } | undefined

  /** `expected`: what the recogniser is told at the beginning. */
  constructor(own: string, expected: readonly string[] = [own]) {
    this.own = own
    this.#now = among(expected, own) === undefined ? (expected[0] ?? own) : own
    this.#expected = expected
  }

  get now(): string {
    return this.#now
  }

  /** The recogniser is told to expect these; the first is in force, unless the one that is in force is among them. */
  expect(languages: readonly string[]): void {
    this.#expected = languages
    this.#hint = undefined
    this.#settled = undefined
    if (!among(languages, this.#now)) this.#now = languages[0] ?? this.own
  }

  /** The one of several that the caller surely speaks; the recogniser need not choose any more. */
  get settled(): string | undefined {
    return this.#settled
  }

  /** A turn of the caller. Gives whether another language is in force now. */
  heard({ text, language }: { text: string; language?: string | undefined }): boolean {
    const spoken = language === undefined ? undefined : among(this.#expected, language)
    const turns = (this.#hint?.language === spoken ? (this.#hint?.turns ?? 0) : 0) + 1
    const sure = turns >= agreeingTurns || text.trim().split(/\s+/).length >= reportingVerbs
    this.#hint = spoken === undefined || sure ? undefined : { language: spoken, turns }
    if (spoken === undefined || !sure) return false
    if (this.#expected.length > 1) this.#settled = spoken
    const changes = mainLanguage(spoken) !== mainLanguage(this.#now)
    if (changes) this.#now = spoken
    return changes
  }

  /** Another process had the session. */
  resume(language: string | undefined): void {
    if (language !== undefined) this.#now = language
  }
}

/** As it is called there. */
const among = (languages: readonly string[], wanted: string): string | undefined =>
  languages.find((language) => mainLanguage(language) === mainLanguage(wanted))

/** The language in force; where we have no words in it, or no voice speaks it, the flow's, or English. */
export const systemPhraseLanguage = ({ now, own }: Pick<SessionLanguage, 'now' | 'own'>, speaks: (language: string) => boolean): string =>
  [now, own].find((language) => hasSystemPhrases(language) && speaks(language)) ?? 'en'
