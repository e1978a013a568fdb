import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession } from 'onnxruntime-node'
import { Decoder, endingProbability, impossible, logProbabilities, type Mark, marksOf, probabilityOf, writeGreedily } from './greedy.ts'
import { expectedInstead, type Expectation } from './expected-phrases.ts'
import { LayeredEncoder } from './layered-encoder.ts'
import { floats, openSession } from '../onnx.ts'
import type { Heard } from './recogniser-thread.ts'

const begin = 1
const end = 2
/** Above the speaking rate of people. */
const wordsPerSecond = 6.5
/**
 * Probability of the empty text above which it is accepted. On a clean line spoken words are below 0.01 and noises above 0.35; on a noisy
 * line words reach 0.8.
 */
const certainSilence = { cleanLine: 0.3, noisyLine: 0.8 }
const cleanLineDb = 30
const shapes = { tiny: { layers: 6, empty: [0, 8, 1, 36] }, base: { layers: 8, empty: [0, 8, 1, 52] } } as const

/** Short answers are easily mistaken for silence. */
const forbid = (scores: Float32Array, index: number): void => {
  if (index === 0) scores[end] = impossible
}

interface MoonshineQuestion {
  /** 16 kHz. */
  sound: Float32Array
  /** Level of the voice above the noise of the line. */
  rangeDb: number
  expectation: Expectation
  signal: AbortSignal
  patient?: true | undefined
}

/** Moonshine recogniser: English. */
export class Moonshine {
  readonly #encoder: InferenceSession
  readonly #layers: LayeredEncoder
  readonly #decoder: Decoder
  readonly #words: LlamaWords

  constructor(encoder: InferenceSession, layers: LayeredEncoder, decoder: Decoder, words: LlamaWords) {
    this.#encoder = encoder
    this.#layers = layers
    this.#decoder = decoder
    this.#words = words
  }

  static async open(models: string, size: 'tiny' | 'base', threads: number): Promise<Moonshine> {
    const folder = join(models, `moonshine-${size}-en`)
    const file = join(folder, 'encoder_model.onnx')
    const encoder = await openSession(file, threads)
    const layers = new LayeredEncoder(() => readFile(file), threads)
    const decoder = await openSession(join(folder, 'decoder_model_merged.onnx'), threads)
    // Both sizes have the same vocabulary.
    const words = await LlamaWords.open(join(models, 'moonshine-tiny-en', 'llama-tokenizer.mjs'))
    return new Moonshine(encoder, layers, new Decoder(decoder, shapes[size]), words)
  }

  async hear({ sound, rangeDb, expectation, signal, patient }: MoonshineQuestion): Promise<Heard> {
    const given = { input_values: floats(sound, 1, sound.length) }
    const heard = patient ? await this.#layers.run(given, signal) : (await this.#encoder.run(given))['last_hidden_state']
    if (!heard) throw new Error('the encoder gave nothing')
    signal.throwIfAborted()
    const start = await this.#decoder.start(heard, [begin])
    const limit = rangeDb > cleanLineDb ? certainSilence.cleanLine : certainSilence.noisyLine
    if (probabilityOf(end, start.scores.last) > limit) return { text: '', confidence: 1, language: 'en' }
    const { words, logProbability, total, tail } = await writeGreedily({
      start,
      end,
      maxLength: Math.max(4, Math.trunc((sound.length / 16_000) * wordsPerSecond)),
      forbid,
      isNumber: (word) => this.#words.isNumber(word),
      marks: this.#words.marks,
      signal,
    })
    const text = this.#words.text(words)
    const instead = await expectedInstead({ text, total }, expectation, {
      start,
      token: (piece) => this.#words.id(piece),
      logProbabilities: (scores, atStart) => {
        forbid(scores, atStart ? 0 : 1)
        return logProbabilities(scores)
      },
      ending: (scores) => endingProbability(scores, end, this.#words.marks),
      signal,
    })
    return { text, confidence: Math.exp(logProbability), ...instead, language: 'en', ...(tail && { tail }) }
  }
}

/** Moonshine’s vocabulary: Llama's, which a package contains as a base64 list. */
class LlamaWords {
  readonly marks: ReadonlyMap<number, Mark>
  readonly #pieces: readonly string[]
  readonly #ids: ReadonlyMap<string, number>

  constructor(source: string) {
    const list = /llama_vocab_base64\s*=\s*"([^"]+)"/.exec(source)?.[1]
    if (list === undefined) throw new Error('the tokenizer’s file has no vocabulary')
    this.#pieces = Buffer.from(list, 'base64').toString('utf8').split('\n')
    this.#ids = new Map(this.#pieces.map((piece, id) => [piece, id]))
    this.marks = marksOf(this.#pieces.length, (word) => this.text([word]))
  }

  static async open(file: string): Promise<LlamaWords> {
    return new LlamaWords(await readFile(file, 'utf8'))
  }

  id(piece: string): number | undefined {
    return this.#ids.get(piece.replaceAll(' ', '▁'))
  }

  isNumber(word: number): boolean {
    return /\d/.test(this.#pieces[word] ?? '')
  }

  /** ▁ is a space; characters without a token are written byte by byte, as <0x0A>. */
  text(words: readonly number[]): string {
    const bytes = words.map((word) => {
      const piece = this.#pieces[word] ?? ''
      const byte = /^<0x([0-9A-F]{2})>$/.exec(piece)?.[1]
      return byte === undefined ? Buffer.from(piece.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex')
    })
    return Buffer.concat(bytes).toString('utf8').trim()
  }
}
