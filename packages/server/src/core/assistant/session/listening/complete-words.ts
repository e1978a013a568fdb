/**
 * What the caller's words tell about whether more is to come. `hanging`: only a comma says so, which recognisers put where they know no
 * better.
 */
export type Completeness = 'complete' | 'open' | 'hanging' | 'unclear'

interface Lexicon {
  /** Complete answers, after which callers do not continue. */
  answers: ReadonlySet<string>
  /** No sentence ends in one of these: articles, conjunctions, prepositions that are no particles, hesitations. */
  openers: ReadonlySet<string>
  digits: ReadonlySet<string>
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/[,\n]\s*/).map((word) => word.trim()))
const wordsOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

const english: Lexicon = {
  answers: setOf(
    `yes, yeah, yep, yes please, yes thank you, yes i do, yes it is, no, nope, no thanks, no thank you, no i don't, sure, okay, ok, alright,
    all right, right, correct, exactly, that's right, that's correct, that is right, that is correct, of course, hello, goodbye, good bye,
    good by, bye, thank you, thanks`,
  ),
  openers: wordsOf(
    `a an the and or but if because that's to of in at by for from with about into my your our their his is are was i i'm i'd i'll it's we
    um uh er erm hmm`,
  ),
  digits: wordsOf('zero oh one two three four five six seven eight nine double triple'),
}

const german: Lexicon = {
  answers: setOf(
    `ja, jawohl, ja bitte, ja gerne, ja gern, ja genau, ja danke, gerne, gern, genau, richtig, stimmt, das stimmt, das ist richtig, klar, na klar,
    natürlich, nein, nee, nein danke, doch, okay, ok, in ordnung, alles klar, hallo, tschüss, auf wiederhören, danke, vielen dank`,
  ),
  openers: wordsOf(
    `der die den dem des eine einen einem einer und oder aber weil dass wenn denn mit von vom zum zur im am beim für bei in mein meine meinen
    meinem meiner ihre ihren ihrem ihrer ist sind war ich wir äh ähm hm`,
  ),
  digits: wordsOf('null eins zwo zwei drei vier fünf sechs sieben acht neun'),
}

const lexicons: Readonly<Record<string, Lexicon>> = { en: english, de: german }

/** `language`: BCP 47; of others than English and German only the punctuation is understood. */
export const completenessOf = (text: string, language: string): Completeness => {
  const trimmed = text.trim()
  const lexicon = lexicons[language.slice(0, 2).toLowerCase()]
  const words = trimmed
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}' ]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
  if (lexicon?.answers.has(words.join(' '))) return 'complete'
  if (/(?:[:;–—-]|…|\.{2,})$/u.test(trimmed)) return 'open'
  if (trimmed.endsWith('?')) return 'unclear'
  if (lexicon?.openers.has(words.at(-1) ?? '') || endsInDigitGroup(words, lexicon)) return 'open'
  return trimmed.endsWith(',') ? 'hanging' : 'unclear'
}

/** Numbers of phones, customers and accounts are said in groups: two digits one by one, or three together, are likely to be one. */
const endsInDigitGroup = (words: readonly string[], lexicon: Lexicon | undefined): boolean => {
  const isDigits = (word: string | undefined): boolean => word !== undefined && (/^\d+$/.test(word) || lexicon?.digits.has(word) === true)
  const last = words.at(-1)
  if (!isDigits(last)) return false
  return /^\d{3,}$/.test(last ?? '') || isDigits(words.at(-2))
}

export const defaultEndOfTurnSilenceMs = 500
const shortestMs = 300
const openMs = { least: 900, most: 1200 }

/** How long the caller must be silent, so that the turn is over: shorter when it is clear, longer when something is missing. */
export const endOfTurnSilence = (wantedMs: number, text: string, language: string): number => {
  const completeness = completenessOf(text, language)
  if (completeness === 'complete') return Math.min(wantedMs, Math.max(shortestMs, 0.6 * wantedMs))
  if (completeness === 'hanging') return Math.max(wantedMs, Math.min(1.5 * wantedMs, openMs.most))
  if (completeness === 'open') return Math.max(wantedMs, Math.min(Math.max(2 * wantedMs, openMs.least), openMs.most))
  return wantedMs
}
