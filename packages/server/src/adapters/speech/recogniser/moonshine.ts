import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession } from 'onnxruntime-node'
import { Decoder } from './decoder.ts'
import { impossible, probabilityOf, writeGreedily } from './greedy.ts'
import { LayeredEncoder } from './layered-encoder.ts'
import { LlamaWords } from './llama-words.ts'
import { floats, openSession } from '../onnx.ts'
import type { Heard } from './recogniser-protocol.ts'

const begin = 1
const end = 2
/** People say fewer per second. */
const wordsPerSecond = 6.5
/**
 * How likely it takes "nothing at all", from which on that is true. On a clean line words of people are below 0.01 and noises above 0.35; where
 * the line has noise itself, words come up to 0.8.
 */
const certainSilence = { cleanLine: 0.3, noisyLine: 0.8 }
const cleanLineDb = 30
const shapes = { tiny: { layers: 6, empty: [0, 8, 1, 36] }, base: { layers: 8, empty: [0, 8, 1, 52] } } as const

/** Moonshine: English. */
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
    // Both sizes have the same words.
    const words = await LlamaWords.open(join(models, 'moonshine-tiny-en', 'llama-tokenizer.mjs'))
    return new Moonshine(encoder, layers, new Decoder(decoder, shapes[size]), words)
  }

  /** Of floats at 16 kHz; `rangeDb`: how far the noise of the line is below the voice. */
  async hear(sound: Float32Array, rangeDb: number, signal: AbortSignal, patient?: true): Promise<Heard> {
    const given = { input_values: floats(sound, 1, sound.length) }
    const heard = patient ? await this.#layers.run(given, signal) : (await this.#encoder.run(given))['last_hidden_state']
    if (!heard) throw new Error('the encoder gave nothing')
    signal.throwIfAborted()
    const next = this.#decoder.begin(heard)
    const first = await next([begin])
    const limit = rangeDb > cleanLineDb ? certainSilence.cleanLine : certainSilence.noisyLine
    if (probabilityOf(end, first.last) > limit) return { text: '', confidence: 1, language: 'en' }
    const { words, logProbability, tail } = await writeGreedily({
      next,
      first,
      end,
      maxLength: Math.max(4, Math.trunc((sound.length / 16_000) * wordsPerSecond)),
      // Short answers are easily taken for nothing.
      forbid: (scores, index) => {
        if (index === 0) scores[end] = impossible
      },
      isNumber: (word) => this.#words.isNumber(word),
      marks: this.#words.marks,
      signal,
    })
    return { text: this.#words.text(words), confidence: Math.exp(logProbability), language: 'en', ...(tail && { tail }) }
  }
}
