import type { LastSound, Tail } from '#core/kernel/ports/speech.ts'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import { lexiconOf } from './lexicon.ts'
import { spokenWords } from './spoken-words.ts'

/** How much each thing that is known says for the end of the turn, as in a logistic regression. */
interface Weights {
  bias: number
  /** Logarithm of how much likelier a mark that ends a sentence is than one that does not. */
  ratio: number
  /** The same after one or two words: the embedded recogniser puts commas there, whatever is to come. */
  ratioShort: number
  word: number
  end: number
  /** Recognisers guess question marks: "Which folder should I?" */
  question: number
  opener: number
  /** One or two words. */
  short: number
  subordinate: number
  /** For 10 dB, and for 4 semitones. */
  energy: number
  low: number
  median: number
}

/** Fitted on recordings of people with what the larger English recogniser makes of them (docs/decisions/conversation.md). */
const english: Weights = {
  bias: -2.68,
  ratio: 0.42,
  ratioShort: 0,
  word: -0.39,
  end: -0.73,
  question: -1.47,
  opener: -2.16,
  short: 2.78,
  subordinate: -1.66,
  energy: -1.28,
  low: 0.31,
  median: -0.88,
}

/** The same where hardly anything is voiced, and nobody knows how the voice ended. */
const englishUnvoiced: Weights = {
  bias: -0.23,
  ratio: 0.52,
  ratioShort: 0,
  word: -1.92,
  end: -1.47,
  question: -1.79,
  opener: -2.38,
  short: 2.31,
  subordinate: -1.3,
  energy: 0,
  low: 0,
  median: 0,
}

/** Of other languages and recognisers: set by hand so that a text of which nothing is known needs 500 ms of silence, as it always has. */
const marksOnly: Weights = {
  bias: 1.32,
  ratio: 0.4,
  ratioShort: 0.23,
  word: -0.35,
  end: 0,
  question: -0.35,
  opener: -2.5,
  short: 0.7,
  subordinate: -1.4,
  energy: 0,
  low: 0,
  median: 0,
}

/** So that a mark that is impossible does not decide alone. */
const min = 0.02

/** Knows by what the recogniser took for likely after the last word, by the words, and by how the voice sank. Costs nothing and has no state. */
export const embeddedTurnDetector = {
  name: 'embedded',
  judge: ({ text, language, tail, lastSound }: Omit<Pause, 'sound'>): EndOfTurn => {
    const known = tail ?? tailOfMarks(text)
    const weights = weightsFor(language, tail, lastSound)
    const words = spokenWords(text)
    const short = words.length <= 2
    const parts = {
      marks: marks(known, short, weights),
      words: openEnd(text, words, language, weights),
      length: short ? weights.short : 0,
      sound: lastSound
        ? (weights.energy * lastSound.energyDb) / 10 +
          (weights.low * Math.min(12, lastSound.aboveLow)) / 4 +
          (weights.median * lastSound.againstMedian) / 4
        : 0,
    }
    const sum = weights.bias + parts.marks + parts.words + parts.length + parts.sound
    return { probability: 1 / (1 + Math.exp(-sum)), parts }
  },
} satisfies TurnDetector

const weightsFor = (language: string, tail: Tail | undefined, lastSound: LastSound | undefined): Weights => {
  if (!tail || language.slice(0, 2).toLowerCase() !== 'en') return marksOnly
  return lastSound ? english : englishUnvoiced
}

const marks = ({ stop, question, goesOn, word, end }: Tail, short: boolean, weights: Weights): number => {
  const ratio = Math.log((stop + question + min) / (goesOn + min))
  return (short ? weights.ratioShort : weights.ratio) * ratio + weights.word * word + weights.end * end + weights.question * question
}

/** The words are looked at whatever the mark: recognisers end what has no end. */
const openEnd = (text: string, words: readonly string[], language: string, weights: Weights): number => {
  const lexicon = lexiconOf(language)
  if (!lexicon) return 0
  const sentence =
    text
      .trim()
      .split(/[.?!]\s+/)
      .at(-1)
      ?.toLowerCase() ?? ''
  const started = lexicon.subordinate.test(sentence) && !/,\s/.test(sentence) && words.length <= 9
  return (lexicon.openers.has(words.at(-1) ?? '') ? weights.opener : 0) + (started ? weights.subordinate : 0)
}

/** For recognisers that tell nothing but their text. */
const tailOfMarks = (text: string): Tail => {
  const tail = { stop: 0, question: 0, goesOn: 0, end: 0, word: 0 }
  const written = text.trim()
  if (/(?:[,:;–—-]|…|\.{2,})$/u.test(written)) return { ...tail, goesOn: 1 }
  if (written.endsWith('?')) return { ...tail, question: 1 }
  return /[.!]$/.test(written) ? { ...tail, stop: 1 } : tail
}
