import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { Decoder } from './decoder.ts'
import { dynamicEncoder, positionsInput, type DynamicEncoder } from './dynamic-encoder.ts'
import { impossible, probabilityOf, writeGreedily, type Written } from './greedy.ts'
import { LayeredEncoder } from './layered-encoder.ts'
import { logMel, melBands } from './mel.ts'
import { allCodes } from './languages.ts'
import { floats, openSession } from '../onnx.ts'
import type { Heard } from './recogniser-protocol.ts'
import { withoutRepetition } from './repetition.ts'
import { WhisperWords } from './whisper-words.ts'

const rate = 16_000
const framesPerSecond = 100
/** The silence that it wants to see after the words, or it goes on inventing some. */
const silenceSeconds = 2.5
/** One-word answers are only understood in a wide window. */
const shortSeconds = 1.5
const shortWindowSeconds = 12
const maxFrames = 3000
const wordsPerSecond = 8
const maxPromptLength = 100

export interface WhisperQuestion {
  sound: Float32Array
  /** One: that one. Several: the likeliest of them. None: the likeliest of all. */
  codes: readonly string[]
  vocabulary: readonly string[]
  signal: AbortSignal
  patient?: true | undefined
}

/** Whisper: some hundred languages. It invents sentences for sound without speech, so what is unlikely is dropped. */
export class Whisper {
  readonly #encoder: InferenceSession
  readonly #layers: LayeredEncoder
  readonly #table: Omit<DynamicEncoder, 'model'>
  readonly #decoder: Decoder
  readonly #words: WhisperWords

  constructor(
    encoder: InferenceSession,
    layers: LayeredEncoder,
    table: Omit<DynamicEncoder, 'model'>,
    decoder: Decoder,
    words: WhisperWords,
  ) {
    this.#encoder = encoder
    this.#layers = layers
    this.#table = table
    this.#decoder = decoder
    this.#words = words
  }

  static async open(models: string, size: 'base' | 'small', threads: number): Promise<Whisper> {
    const folder = join(models, `whisper-${size}`)
    const read = async (): Promise<DynamicEncoder> => dynamicEncoder(await readFile(join(folder, 'encoder_model_quantized.onnx')))
    const { model, positions, width } = await read()
    const encoder = await openSession(model, threads)
    const layers = new LayeredEncoder(async () => (await read()).model, threads)
    const decoder = await openSession(join(folder, 'decoder_model_merged_quantized.onnx'), threads)
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as Config
    const heads = config.decoder_attention_heads
    const shape = { layers: config.decoder_layers, empty: [1, heads, 0, config.d_model / heads] } as const
    return new Whisper(encoder, layers, { positions, width }, new Decoder(decoder, shape), await WhisperWords.open(folder))
  }

  async hear({ sound, codes, vocabulary, signal, patient }: WhisperQuestion): Promise<Heard> {
    const heard = await this.#encode(sound, signal, patient)
    signal.throwIfAborted()
    const language = codes.length === 1 ? codes[0]! : await this.#likeliestLanguage(heard, codes)
    signal.throwIfAborted()
    const prompt = this.#prompt(language, vocabulary)
    const next = this.#decoder.begin(heard)
    const first = await next(prompt)
    const start = prompt.indexOf(this.#words.special('startoftranscript'))
    const nothing = probabilityOf(this.#words.special('nocaptions'), first.at(start))
    const written = await writeGreedily({
      next,
      first,
      end: this.#words.special('endoftext'),
      maxLength: Math.max(12, Math.ceil((sound.length / rate) * wordsPerSecond)),
      forbid: this.#forbid,
      isNumber: (word) => this.#words.isNumber(word),
      marks: this.#words.marks,
      signal,
    })
    const text = isBelievable(written, nothing) ? withoutRepetition(this.#words.text(written.words)) : ''
    return { text, confidence: Math.exp(written.logProbability), language, ...(written.tail && { tail: written.tail }) }
  }

  async #encode(sound: Float32Array, signal: AbortSignal, patient?: true): Promise<Tensor> {
    const seconds = sound.length / rate
    const window = seconds < shortSeconds ? shortWindowSeconds : seconds + silenceSeconds
    const frames = Math.min(maxFrames, 2 * Math.ceil((window * framesPerSecond) / 2))
    const { positions, width } = this.#table
    const given = {
      input_features: floats(logMel(sound, frames), 1, melBands, frames),
      [positionsInput]: floats(positions.subarray(0, (frames / 2) * width), frames / 2, width),
    }
    const heard = patient ? await this.#layers.run(given, signal) : (await this.#encoder.run(given))['last_hidden_state']
    if (!heard) throw new Error('the encoder gave nothing')
    return heard
  }

  async #likeliestLanguage(heard: Tensor, codes: readonly string[]): Promise<string> {
    const { last } = await this.#decoder.begin(heard)([this.#words.special('startoftranscript')])
    const score = (code: string): number => last[this.#words.special(code)] ?? -Infinity
    const candidates = codes.length === 0 ? allCodes : codes
    return candidates.reduce((best, code) => (score(code) > score(best) ? code : best))
  }

  /** Likely words are given as if they had just been said. */
  #prompt(language: string, vocabulary: readonly string[]): number[] {
    const special = (name: string): number => this.#words.special(name)
    const task = [special('startoftranscript'), special(language), special('transcribe'), special('notimestamps')]
    if (vocabulary.length === 0) return task
    return [special('startofprev'), ...this.#words.ids(` ${vocabulary.join(', ')}.`).slice(0, maxPromptLength), ...task]
  }

  readonly #forbid = (scores: Float32Array, index: number): void => {
    for (const word of this.#words.never) scores[word] = impossible
    if (index === 0) for (const word of this.#words.neverFirst) scores[word] = impossible
    scores.fill(impossible, this.#words.special('endoftext') + 1)
  }
}

/** What it makes of noises and tones is unlikely, most of all where it says itself that there is no speech. */
const isBelievable = ({ logProbability }: Written, nothing: number): boolean => logProbability > (nothing > 0.5 ? -0.6 : -1.5)

interface Config {
  d_model: number
  decoder_layers: number
  decoder_attention_heads: number
}
