import type { Tail } from '#core/kernel/ports/speech.ts'
import type { Scores } from './decoder.ts'
import { tailOf, unfinished, type Mark } from './marks.ts'
import { repeatedAtEnd } from './repetition.ts'

export interface Greedy {
  next: (words: readonly number[]) => Promise<Scores>
  /** What comes before the first word; its last scores are those of the first word. */
  first: Scores
  /** Word that means the end. */
  end: number
  maxLength: number
  /** Makes words impossible, by lowering their score. */
  forbid: (scores: Float32Array, index: number) => void
  isNumber: (word: number) => boolean
  /** Of the vocabulary. */
  marks: ReadonlyMap<number, Mark>
  signal: AbortSignal
}

export interface Written {
  words: number[]
  /** Mean of the logarithm of each word's probability, the end included. */
  logProbability: number
  /** What was likely after the last word; missing where words were taken away. */
  tail?: Tail
}

/** The likeliest word, again and again. */
export const writeGreedily = async ({ next, first, end, maxLength, forbid, isNumber, marks, signal }: Greedy): Promise<Written> => {
  const words: number[] = []
  let sum = 0
  let count = 0
  let scores = first
  let tail: Tail | undefined
  while (words.length < maxLength) {
    signal.throwIfAborted()
    forbid(scores.last, words.length)
    const { word, logProbability } = likeliest(scores.last)
    sum += logProbability
    count++
    if (word === end || marks.has(word)) tail ??= tailOf(marks, end, probabilities(scores.last, word))
    else tail = undefined
    if (word === end) break
    words.push(word)
    const repeated = repeatedAtEnd(words, isNumber)
    if (repeated > 0) {
      words.length -= repeated
      return { words, logProbability: sum / count }
    }
    if (words.length < maxLength) scores = await next([word])
  }
  return { words, logProbability: count === 0 ? 0 : sum / count, tail: tail ?? unfinished }
}

export const impossible = -1e9

/** Scores so far below the best do not change its probability. */
const negligible = 14

const likeliest = (scores: Float32Array): { word: number; logProbability: number } => {
  let word = 0
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[word]!) word = i
  return { word, logProbability: -Math.log(weightAround(scores, scores[word]!)) }
}

export const probabilityOf = (word: number, scores: Float32Array): number => probabilities(scores, likeliest(scores).word)(word)

const probabilities = (scores: Float32Array, best: number): ((word: number) => number) => {
  const weight = weightAround(scores, scores[best]!)
  return (word) => Math.exp(scores[word]! - scores[best]!) / weight
}

/** Of all words, when the best weighs 1. */
const weightAround = (scores: Float32Array, best: number): number => {
  let sum = 0
  for (let i = 0; i < scores.length; i++) {
    const below = scores[i]! - best
    if (below > -negligible) sum += Math.exp(below)
  }
  return sum
}
