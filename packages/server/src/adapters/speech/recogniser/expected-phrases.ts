import type { Step } from './greedy.ts'

interface PhraseSearch {
  /** After the prompt. */
  start: Step
  /** Spelled as in the vocabulary; each phrase may have several spellings. */
  phrases: readonly (readonly string[])[]
  token: (piece: string) => number | undefined
  /** Log probabilities of the next token, without impossible ones; `atStart`: nothing is written yet. */
  logProbabilities: (scores: Float32Array, atStart: boolean) => (token: number) => number
  /** Log probability that the text is complete. */
  ending: (scores: Float32Array) => number
  /** Log probability below which a phrase is not looked at. */
  floor: number
  signal: AbortSignal
}

interface FoundPhrase {
  /** Its index. */
  phrase: number
  logProbability: number
  /** Difference to the second one. */
  lead: number
}

/** A beginning of some phrases; the decoder has not seen its last token. */
interface Beginning {
  text: string
  logProbability: number
  step: () => Promise<Step>
}

/** Decoder steps for one answer: a fraction of what the encoder takes. */
const maxSteps = 32
/** A phrase this far behind the best one does not matter. */
const outdistanced = 3

/**
 * Finds the phrase that the decoder thinks likeliest. It writes only tokens that continue a phrase, the likeliest beginning first, so that most
 * phrases cost nothing.
 */
const likeliestPhrase = async (search: PhraseSearch): Promise<FoundPhrase | undefined> => {
  const { start, phrases, floor, signal } = search
  const found = phrases.map(() => -Infinity)
  const best = (): number => Math.max(...found)
  const open: Beginning[] = [{ text: '', logProbability: 0, step: () => Promise.resolve(start) }]
  for (let steps = 0; open.length > 0 && steps < maxSteps; steps++) {
    signal.throwIfAborted()
    open.sort((a, b) => a.logProbability - b.logProbability)
    const beginning = open.pop()!
    if (beginning.logProbability < Math.max(floor, best() - outdistanced)) break
    const step = await beginning.step()
    const { last } = step.scores
    const probabilityOf = search.logProbabilities(last, beginning.text === '')
    const complete = beginning.logProbability + search.ending(last)
    for (const [phrase, spellings] of phrases.entries())
      if (spellings.includes(beginning.text)) found[phrase] = Math.max(found[phrase]!, complete)
    for (const [piece, token] of continuations(search, beginning.text)) {
      const logProbability = beginning.logProbability + probabilityOf(token)
      open.push({ text: beginning.text + piece, logProbability, step: () => step.after([token]) })
    }
  }
  const [first = -Infinity, second = -Infinity] = found.toSorted((a, b) => b - a)
  if (first < floor) return undefined
  return { phrase: found.indexOf(first), logProbability: first, lead: first - second }
}

/** Tokens that continue a spelling. */
const continuations = ({ phrases, token }: PhraseSearch, text: string): ReadonlyMap<string, number> => {
  const tokens = new Map<string, number>()
  for (const spelling of phrases.flat()) {
    if (!spelling.startsWith(text)) continue
    for (let end = text.length + 1; end <= spelling.length; end++) {
      const piece = spelling.slice(text.length, end)
      const id = token(piece)
      if (id !== undefined) tokens.set(piece, id)
    }
  }
  return tokens
}

/** Words that a caller may say. */
export interface Expectation {
  /** Whole answers to what the caller was asked; empty: unknown. */
  phrases: readonly string[]
  /** Names and words of the flow. */
  vocabulary: readonly string[]
}

/** Text written without knowing the phrases. */
interface FreeText {
  text: string
  /** Log probability. */
  total: number
}

/**
 * Log probability that the free text may have over the phrase: chosen on single words of a person (docs/decisions/conversation.md). Hums and
 * groans come close to short words.
 */
const maxLoss = { asked: 7, askedShort: 4, guessed: 3 }
const shortLetters = 5
/** Up to so many letters anything may sound like it. */
const tinyLetters = 3
const minLead = 1.5
/** Below it everything is noise. */
const minLogProbability = -11
/** More would find another phrase by chance. */
const maxPhrases = 100

type Vocabulary = Omit<PhraseSearch, 'phrases' | 'floor'>

/** The expected phrase that was probably said instead of the free text, with its confidence from 0 to 1. Undefined: the free text stays. */
export const expectedInstead = async (
  { text, total }: FreeText,
  { phrases, vocabulary }: Expectation,
  decoder: Vocabulary,
): Promise<{ text: string; confidence: number } | undefined> => {
  const isAsked = phrases.length > 0
  const candidates = (isAsked ? phrases : vocabulary).slice(0, maxPhrases)
  const maxWords = Math.max(...candidates.map((phrase) => plainWords(phrase).length)) + 1
  const written = plainWords(text)
  if (candidates.length === 0 || written.length > maxWords) return undefined
  const same = candidates.find((phrase) => plainWords(phrase).join(' ') === written.join(' '))
  if (same !== undefined) return isAsked ? { text, confidence: surely } : undefined
  const floor = Math.max(minLogProbability, total - maxLoss[isAsked ? 'asked' : 'guessed'])
  const found = await likeliestPhrase({ ...decoder, phrases: candidates.map(spellingsOf), floor })
  if (!found || found.lead < minLead) return undefined
  const lost = Math.max(0, total - found.logProbability)
  const phrase = candidates[found.phrase]!
  if (phrase.length <= shortLetters && lost > maxLoss.askedShort) return undefined
  if (phrase.length <= tinyLetters && text === '') return undefined
  return { text: phrase, confidence: (1 - Math.exp(-found.lead)) * Math.exp(-lost / confidenceScale) }
}

/** Confidence of an expected phrase that would have been written anyway. */
const surely = 0.8
/** An accepted phrase is above the limit of unclear words. */
const confidenceScale = 20

const plainWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}']+/gu) ?? []

/** A sentence begins with a capital, but recognisers do not always think that a word is one. */
const spellingsOf = (phrase: string): string[] => {
  const tidy = phrase.trim().replaceAll(/\s+/gu, ' ')
  const small = tidy.charAt(0).toLowerCase() + tidy.slice(1)
  const capital = tidy.charAt(0).toUpperCase() + tidy.slice(1)
  return tidy === '' ? [] : [...new Set([tidy, capital, small])].map((spelling) => ` ${spelling}`)
}
