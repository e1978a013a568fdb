import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession, Tensor as AnyTensor } from 'onnxruntime-node'
import { Tensor } from '../onnx-runtime.ts'
import { openSession } from '../onnx.ts'
import { cutGraph, latent } from './cut-graph.ts'
import { loadPhonemes, type ToPhonemes } from './phonemes.ts'
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

/** The vocoder looks this many frames back and ahead: with them a piece sounds as it does in the whole. */
const contextFrames = 14

/** What a sentence will sound like, frame by frame. */
export interface Latent {
  frames: number
  /** One row of all frames for each channel. */
  values: Float32Array
}

/** A DittliTTS model: phonemes in, sound out; any part of a sentence alone. */
export class VoiceModel {
  readonly #toLatent: InferenceSession
  readonly #toSound: InferenceSession
  readonly #facts: ModelFacts
  readonly #kind: VoiceKind
  readonly #toPhonemes: ToPhonemes
  readonly #symbols: ReadonlyMap<string, number>
  readonly #known: ReadonlySet<string>

  private constructor(toLatent: InferenceSession, toSound: InferenceSession, facts: ModelFacts, kind: VoiceKind, toPhonemes: ToPhonemes) {
    this.#toLatent = toLatent
    this.#toSound = toSound
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
    const cut = cutGraph(widenGraph(await readFile(join(home, language, 'model.onnx'))))
    const toLatent = await openSession(cut.toLatent, threads)
    const toSound = await openSession(cut.toSound, threads)
    return new VoiceModel(toLatent, toSound, facts, kind, toPhonemes)
  }

  get rate(): number {
    return this.#facts.sample_rate
  }

  get gain(): number {
    return this.#kind.gain
  }

  /** `speed` 1 is normal. */
  async read(text: string, speed: number): Promise<Latent> {
    const { phones, tones } = this.#toPhonemes(text, { symbolSet: this.#known })
    const unknown = this.#symbols.get('UNK') ?? 0
    const symbols = betweenBlanks(phones.map((phone) => this.#symbols.get(phone) ?? unknown))
    const { length } = symbols
    const { [latent]: made } = await this.#toLatent.run({
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
    return { frames: made?.dims[2] ?? 0, values: made?.data as Float32Array }
  }

  /** Where a piece of about so many frames ends. A short rest is taken along: it would cost more alone. */
  pieceEnd({ frames }: Latent, from: number, wanted: number): number {
    return from + wanted + 2 * contextFrames >= frames ? frames : from + wanted
  }

  /** The sound of these frames, which is the same whether they are made alone or with others. Samples lie between -1 and 1. */
  async sound({ frames, values }: Latent, from: number, to: number): Promise<Float32Array> {
    const first = Math.max(0, from - contextFrames)
    const last = Math.min(frames, to + contextFrames)
    const channels = values.length / frames
    const window = new Float32Array(channels * (last - first))
    for (let channel = 0; channel < channels; channel++) {
      window.set(values.subarray(channel * frames + first, channel * frames + last), channel * (last - first))
    }
    const { audio } = await this.#toSound.run({
      [latent]: new Tensor('float32', window, [1, channels, last - first]),
      sid: integers([0], 1),
    })
    const samples = audio?.data as Float32Array
    const perFrame = samples.length / (last - first)
    return samples.subarray((from - first) * perFrame, (to - first) * perFrame)
  }
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
