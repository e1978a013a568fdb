import type { Tail } from '#core/kernel/ports/speech.ts'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { floats, integers, truth } from '../onnx.ts'

interface Greedy {
  /** After the prompt; the last scores are those of the first token. */
  start: Step
  /** Token that marks the end. */
  end: number
  maxLength: number
  /** Makes tokens impossible by lowering their scores. */
  forbid: (scores: Float32Array, index: number) => void
  isNumber: (word: number) => boolean
  /** Punctuation marks of the vocabulary. */
  marks: ReadonlyMap<number, Mark>
  signal: AbortSignal
}

export interface Written {
  words: number[]
  /** Mean log probability of the tokens, including the end. */
  logProbability: number
  /** Log probability of the whole text, whatever mark ends it. */
  total: number
  /** Probabilities after the last word; missing if words were removed. */
  tail?: Tail
}

/** Greedy decoding: always takes the most likely token. */
export const writeGreedily = async ({ start, end, maxLength, forbid, isNumber, marks, signal }: Greedy): Promise<Written> => {
  const words: number[] = []
  let sum = 0
  let count = 0
  let step = start
  let tail: Tail | undefined
  let total = 0
  while (words.length < maxLength) {
    signal.throwIfAborted()
    const scores = step.scores.last
    forbid(scores, words.length)
    const { word, logProbability } = likeliest(scores)
    if (word !== end && !marks.has(word)) tail = undefined
    else if (!tail) {
      tail = tailOf(marks, end, probabilities(scores, word))
      total = sum + Math.log(1 - tail.word)
    }
    sum += logProbability
    count++
    if (word === end) break
    words.push(word)
    const repeated = repeatedAtEnd(words, isNumber)
    if (repeated > 0) {
      words.length -= repeated
      return { words, logProbability: sum / count, total: sum }
    }
    if (words.length < maxLength) step = await step.after([word])
  }
  return { words, logProbability: count === 0 ? 0 : sum / count, total: tail ? total : sum, tail: tail ?? unfinished }
}

export const impossible = -1e9

/** A score this far below the best does not change its probability. */
const negligible = 14

/** Log probability of each token. */
export const logProbabilities = (scores: Float32Array): ((word: number) => number) => {
  const best = scores[likeliest(scores).word]!
  const weight = Math.log(weightAround(scores, best))
  return (word) => scores[word]! - best - weight
}

/** Log probability that the text ends here, with or without a mark. */
export const endingProbability = (scores: Float32Array, end: number, marks: ReadonlyMap<number, Mark>): number =>
  Math.log(Math.max(1e-9, 1 - tailOf(marks, end, probabilities(scores, likeliest(scores).word)).word))

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

/** Total weight of all tokens if the best one has weight 1. */
const weightAround = (scores: Float32Array, best: number): number => {
  let sum = 0
  for (let i = 0; i < scores.length; i++) {
    const below = scores[i]! - best
    if (below > -negligible) sum += Math.exp(below)
  }
  return sum
}

interface DecoderShape {
  layers: number
  /** Dimensions of an empty memory. */
  empty: readonly [number, number, number, number]
}

/** Scores of the whole vocabulary for each given token. */
interface Scores {
  at(position: number): Float32Array
  last: Float32Array
}

/** Decoder of a recogniser: writes token by token and remembers its output. Both of our recognisers are exported in the same way. */
export class Decoder {
  readonly #session: InferenceSession
  readonly #memory: readonly string[]
  readonly #empty: Tensor
  /** The encoder's output stays the same, so that part of the memory is requested only once. */
  readonly #firstOutputs: string[]
  readonly #laterOutputs: string[]

  constructor(session: InferenceSession, { layers, empty }: DecoderShape) {
    this.#session = session
    this.#empty = floats(new Float32Array(0), ...empty)
    const parts = ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']
    this.#memory = Array.from({ length: layers }, (_, layer) => parts.map((part) => `${layer}.${part}`)).flat()
    this.#firstOutputs = ['logits', ...this.#memory.map((name) => `present.${name}`)]
    this.#laterOutputs = this.#firstOutputs.filter((name) => !name.includes('.encoder.'))
  }

  start(heard: Tensor, words: readonly number[]): Promise<Step> {
    const past = Object.fromEntries(this.#memory.map((name) => [`past_key_values.${name}`, this.#empty]))
    return this.#step({ heard, past, outputs: this.#firstOutputs }, words)
  }

  async #step({ heard, past, outputs }: Memory, words: readonly number[]): Promise<Step> {
    const isFirst = outputs === this.#firstOutputs
    const given = { input_ids: integers(words), encoder_hidden_states: heard, use_cache_branch: truth(!isFirst), ...past }
    const results = await this.#session.run(given, outputs)
    const next = { ...past }
    for (const name of this.#memory) {
      const present = results[`present.${name}`]
      if (present) next[`past_key_values.${name}`] = present
    }
    const after = (more: readonly number[]): Promise<Step> => this.#step({ heard, past: next, outputs: this.#laterOutputs }, more)
    return { scores: scoresOf(results['logits']), after }
  }
}

interface Memory {
  heard: Tensor
  past: Record<string, Tensor>
  outputs: string[]
}

/** The decoder after some tokens; several continuations may be tried. */
export interface Step {
  scores: Scores
  after(words: readonly number[]): Promise<Step>
}

const scoresOf = (logits: Tensor | undefined): Scores => {
  if (!logits) throw new Error('the model gave no scores')
  const [, positions = 1, vocabulary = 0] = logits.dims
  const data = logits.data as Float32Array
  const at = (position: number): Float32Array => data.subarray(position * vocabulary, (position + 1) * vocabulary)
  return { at, last: at(positions - 1) }
}

/** People repeat single words fewer times than this, and never sentences of this many words. */
const tooMuch = 8
const sentence = 4
/** Numbers are repeated on purpose, but not together with this many other words. */
const otherWords = 3
/** The same limit in tokens: a word has one or more tokens. */
const otherPieces = 5

/**
 * Number of tokens at the end that only repeat those before: recognisers get caught in loops. A sentence counts at its second occurrence.
 */
export const repeatedAtEnd = (words: readonly number[], isNumber: (word: number) => boolean): number => {
  for (let length = 1; length * 2 <= words.length; length++) {
    const others = words.slice(-length).filter((word) => !isNumber(word)).length
    const times = length >= sentence && (others === length || others >= otherPieces) ? 1 : Math.ceil(tooMuch / length)
    if (words.length < length * (times + 1)) continue
    const tail = words.slice(-length * times)
    const before = words.slice(-length * (times + 1), -length)
    if (tail.every((word, index) => word === before[index])) return length * times
  }
  return 0
}

const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Does the same for a text: the second copy of a sentence often lacks its full stop, so its tokens differ. */
export const withoutRepetition = (text: string): string => {
  const words = text.split(' ')
  for (let length = Math.floor(words.length / 2); length >= sentence; length--) {
    const tail = words.slice(-length).map(plain)
    const before = words.slice(-2 * length, -length).map(plain)
    const others = tail.filter((word) => !/\d/.test(word)).length
    const isSentence = others === length || others >= otherWords
    if (isSentence && tail.every((word, index) => word === before[index])) return withoutRepetition(words.slice(0, -length).join(' '))
  }
  return text
}

/** Meaning of a punctuation mark for the sentence. */
export type Mark = 'stop' | 'question' | 'goesOn' | 'other'

const kinds: readonly (readonly [Mark, RegExp])[] = [
  ['goesOn', /^(?:\.\.|…|[,;:、，；：–—-])/u],
  ['question', /^[?？]/u],
  ['stop', /^[.!。！]/u],
]

/** Punctuation marks of a vocabulary. Tokens with letters or digits, or with an incomplete UTF-8 sequence, are not marks. */
export const marksOf = (size: number, text: (word: number) => string): ReadonlyMap<number, Mark> => {
  const marks = new Map<number, Mark>()
  for (let word = 0; word < size; word++) {
    const written = text(word)
    if (written === '' || /[\p{L}\p{N}\p{M}\uFFFD]/u.test(written)) continue
    marks.set(word, kinds.find(([, pattern]) => pattern.test(written))?.[0] ?? 'other')
  }
  return marks
}

/** Probabilities at the position after the last word. `probability`: of a token at that position. */
const tailOf = (marks: ReadonlyMap<number, Mark>, end: number, probability: (word: number) => number): Tail => {
  const sums: Record<Mark, number> = { stop: 0, question: 0, goesOn: 0, other: 0 }
  for (const [word, mark] of marks) if (word !== end) sums[mark] += probability(word)
  const atEnd = probability(end)
  const { stop, question, goesOn, other } = sums
  return { stop, question, goesOn, end: atEnd, word: Math.max(0, 1 - stop - question - goesOn - other - atEnd) }
}

/** Tail of an output that reached its maximum length. */
const unfinished: Tail = { stop: 0, question: 0, goesOn: 0, end: 0, word: 1 }
