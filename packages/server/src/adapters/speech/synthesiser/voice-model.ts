import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession, Tensor as AnyTensor } from 'onnxruntime-node'
import { Tensor } from '../onnx-runtime.ts'
import { openSession } from '../onnx.ts'
import { readWeights } from '../tensors.ts'
import { graphUntil } from './cut-graph.ts'
import { nearAttention } from './near-attention.ts'
import { loadPhonemes, type ToPhonemes } from './phonemes.ts'
import { Vocoder, type Latent } from './vocoder/vocoder.ts'
import { voiceKinds, type VoiceKind, type VoiceLanguage } from './voice-languages.ts'
import { widenGraph } from './widen-graph.ts'

/** What stands beside a model. */
interface ModelFacts {
  sample_rate: number
  symbols: string[]
  language_id: number
  tone_offset: number
}

/** Sizes of two inputs of the original that this model was made small without: they stay empty. */
const unusedInputs = { bert: 1024, ja_bert: 768 }

/** What a sentence is between its words and its sound, `[1, channels, frames]`; the vocoder begins with it. */
const latent = '/Mul_8_output_0'
/** How many frames each symbol has, `[1, 1, symbols]`. */
const lengths = '/Ceil_output_0'

/** A sentence begins and ends with a pause (blank, mark, blank): so many symbols, and so many frames of it may sound already, or still. */
const pauseSymbols = { before: 2, after: 2 }
const pauseFrames = { before: 4, after: 6 }

/** A sentence, ready to become sound. */
export interface ReadSentence extends Latent {
  /** The frames that are not just silence. */
  from: number
  to: number
}

/** A DittliTTS model: phonemes in, sound out; any part of a sentence alone. */
export class VoiceModel {
  readonly #toLatent: InferenceSession
  readonly #vocoder: Vocoder
  readonly #facts: ModelFacts
  readonly #kind: VoiceKind
  readonly #toPhonemes: ToPhonemes
  readonly #symbols: ReadonlyMap<string, number>
  readonly #known: ReadonlySet<string>

  private constructor(toLatent: InferenceSession, vocoder: Vocoder, facts: ModelFacts, kind: VoiceKind, toPhonemes: ToPhonemes) {
    this.#toLatent = toLatent
    this.#vocoder = vocoder
    this.#facts = facts
    this.#kind = kind
    this.#toPhonemes = toPhonemes
    this.#symbols = new Map(facts.symbols.map((symbol, index) => [symbol, index]))
    this.#known = new Set(facts.symbols)
  }

  static async load(folder: string, language: VoiceLanguage, threads: number): Promise<VoiceModel> {
    const kind = voiceKinds[language]
    const home = join(folder, kind.part)
    const facts = JSON.parse(await readFile(join(home, language, 'metadata.json'), 'utf8')) as ModelFacts
    const toPhonemes = await loadPhonemes(home, language)
    const model = widenGraph(await readFile(join(home, language, 'model.onnx')))
    const toLatent = await openSession(graphUntil(nearAttention(model), latent, lengths), threads)
    return new VoiceModel(toLatent, new Vocoder(readWeights(model, 'model.')), facts, kind, toPhonemes)
  }

  get rate(): number {
    return this.#facts.sample_rate
  }

  get gain(): number {
    return this.#kind.gain
  }

  /** `speed` 1 is normal. */
  async read(text: string, speed: number): Promise<ReadSentence> {
    const { phones, tones } = this.#toPhonemes(text, { symbolSet: this.#known })
    const unknown = this.#symbols.get('UNK') ?? 0
    const symbols = betweenBlanks(phones.map((phone) => this.#symbols.get(phone) ?? unknown))
    const { length } = symbols
    const { [latent]: made, [lengths]: lasting } = await this.#toLatent.run({
      x: integers(symbols, 1, length),
      x_lengths: integers([length], 1),
      sid: integers([0], 1),
      tone: integers(betweenBlanks(tones.map((tone) => tone + this.#facts.tone_offset)), 1, length),
      language: integers(betweenBlanks(phones.map(() => this.#facts.language_id)), 1, length),
      bert: new Tensor('float32', new Float32Array(unusedInputs.bert * length), [1, unusedInputs.bert, length]),
      ja_bert: new Tensor('float32', new Float32Array(unusedInputs.ja_bert * length), [1, unusedInputs.ja_bert, length]),
      noise_scale: float(this.#kind.noise),
      noise_scale_w: float(this.#kind.lengthNoise),
      length_scale: float(1 / (this.#kind.speed * speed)),
    })
    const frames = made?.dims[2] ?? 0
    return { frames, values: made?.data as Float32Array, ...soundingPart(lasting?.data as Float32Array, frames) }
  }

  /** The sound of these frames, which is the same whether they are made alone or with others. Samples lie between -1 and 1. */
  sound(sentence: Latent, from: number, to: number): Float32Array {
    return this.#vocoder.sound(sentence, from, to)
  }
}

const soundingPart = (frameCounts: Float32Array, frames: number): { from: number; to: number } => {
  const sum = (counts: Float32Array): number => counts.reduce((all, count) => all + count, 0)
  const from = sum(frameCounts.subarray(0, pauseSymbols.before)) - pauseFrames.before
  const to = frames - sum(frameCounts.subarray(-pauseSymbols.after)) + pauseFrames.after
  return { from: Math.max(0, from), to: Math.min(frames, to) }
}

const integers = (values: readonly number[], ...dimensions: number[]): AnyTensor =>
  new Tensor(
    'int64',
    BigInt64Array.from(values, (value) => BigInt(value)),
    dimensions,
  )
const float = (value: number): AnyTensor => new Tensor('float32', Float32Array.of(value), [1])

/** The model wants a blank, which is 0, before, between and after. */
const betweenBlanks = (values: readonly number[]): number[] => [0, ...values.flatMap((value) => [value, 0])]
