import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession, Tensor as AnyTensor } from 'onnxruntime-node'
import { Tensor, openSession } from '../onnx.ts'
import { readWeights } from '../tensors.ts'
import { graphUntil, nearAttention, widenGraph } from './voice-graph.ts'
import { phonemesOf, type Phonemes } from './ipa.ts'
import { Vocoder, type Latent } from './vocoder/vocoder.ts'
import { firstIpaMark, ipaMark } from './pronounceable.ts'
import { voiceKinds, type VoiceKind, type VoiceLanguage } from './voice-languages.ts'
import { pathToFileURL } from 'node:url'

/** The model's configuration file. */
interface ModelFacts {
  sample_rate: number
  symbols: string[]
  language_id: number
  tone_offset: number
}

/** Sizes of two inputs of the original that this smaller model lacks: they stay empty. */
const unusedInputs = { bert: 1024, ja_bert: 768 }

/** Tensor between text and sound, `[1, channels, frames]`; the input of the vocoder. */
const latent = '/Mul_8_output_0'
/** Frames per symbol, `[1, 1, symbols]`. */
const lengths = '/Ceil_output_0'

/**
 * A sentence begins and ends with a pause (blank, mark, blank): its symbols, and the frames of it that may already, or still, have sound.
 */
const pauseSymbols = { before: 2, after: 2 }
const pauseFrames = { before: 4, after: 6 }

/** A sentence ready for the vocoder. */
export interface ReadSentence extends Latent {
  /** The frames that are not silence. */
  from: number
  to: number
  /** Its phonemes and marks, and the frame with which each begins. */
  phones: readonly { name: string; from: number }[]
}

/** A DittliTTS model: phonemes in, sound out; any part of a sentence separately. */
export class VoiceModel {
  readonly #toLatent: InferenceSession
  readonly #vocoder: Vocoder
  readonly #facts: ModelFacts
  readonly #kind: VoiceKind
  readonly #language: VoiceLanguage
  readonly #toPhonemes: ToPhonemes
  readonly #symbols: ReadonlyMap<string, number>
  readonly #known: ReadonlySet<string>

  private constructor(toLatent: InferenceSession, vocoder: Vocoder, facts: ModelFacts, language: VoiceLanguage, toPhonemes: ToPhonemes) {
    this.#toLatent = toLatent
    this.#vocoder = vocoder
    this.#facts = facts
    this.#kind = voiceKinds[language]
    this.#language = language
    this.#toPhonemes = toPhonemes
    this.#symbols = new Map(facts.symbols.map((symbol, index) => [symbol, index]))
    this.#known = new Set(facts.symbols)
  }

  static async load(folder: string, language: VoiceLanguage, threads: number, isSteady = false): Promise<VoiceModel> {
    const kind = isSteady ? { ...voiceKinds[language], noise: 0, lengthNoise: 0 } : voiceKinds[language]
    const home = join(folder, kind.part)
    const facts = JSON.parse(await readFile(join(home, language, 'metadata.json'), 'utf8')) as ModelFacts
    const toPhonemes = await loadPhonemes(home, language)
    const model = widenGraph(await readFile(join(home, language, 'model.onnx')))
    const toLatent = await openSession(graphUntil(nearAttention(model), latent, lengths), threads)
    return new VoiceModel(toLatent, new Vocoder(readWeights(model, 'model.')), facts, language, toPhonemes)
  }

  get rate(): number {
    return this.#facts.sample_rate
  }

  get gain(): number {
    return this.#kind.gain
  }

  /** `speed` 1 is normal; `ipa` as in SpokenSentence. */
  async read(text: string, speed: number, ipa: readonly string[] = []): Promise<ReadSentence> {
    const { phones, tones } = this.#phonemesIn(text, ipa)
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
    const frameCounts = lasting?.data as Float32Array
    return {
      frames,
      values: made?.data as Float32Array,
      ...soundingPart(frameCounts, frames),
      phones: phones.map((name, nth) => ({ name, from: sumOf(frameCounts.subarray(0, 2 * nth + 1)) })),
    }
  }

  /** With the pause at both ends. */
  #phonemesIn(text: string, ipa: readonly string[]): Phonemes {
    const all: Phonemes = { phones: ['_'], tones: [0] }
    const add = ({ phones, tones }: Phonemes): void => {
      all.phones.push(...phones)
      all.tones.push(...tones)
    }
    for (const part of text.split(ipaMark)) {
      const sounds = ipaMark.test(part) ? ipa[(part.codePointAt(0) ?? 0) - firstIpaMark] : undefined
      if (sounds !== undefined) add(phonemesOf(sounds, this.#language))
      else if (part.trim() !== '') add(this.#toPhonemes(part, { symbolSet: this.#known, padStartEnd: false }))
    }
    add({ phones: ['_'], tones: [0] })
    return all
  }

  /** Sound of these frames, which is the same whether made alone or with others. Samples are between -1 and 1. */
  sound(sentence: Latent, from: number, to: number): Float32Array {
    return this.#vocoder.sound(sentence, from, to)
  }
}

const sumOf = (counts: Float32Array): number => counts.reduce((all, count) => all + count, 0)

const soundingPart = (frameCounts: Float32Array, frames: number): { from: number; to: number } => {
  const from = sumOf(frameCounts.subarray(0, pauseSymbols.before)) - pauseFrames.before
  const to = frames - sumOf(frameCounts.subarray(-pauseSymbols.after)) + pauseFrames.after
  return { from: Math.max(0, from), to: Math.min(frames, to) }
}

const integers = (values: readonly number[], ...dimensions: number[]): AnyTensor =>
  new Tensor(
    'int64',
    BigInt64Array.from(values, (value) => BigInt(value)),
    dimensions,
  )
const float = (value: number): AnyTensor => new Tensor('float32', Float32Array.of(value), [1])

/** The model needs a blank, which is 0, before, between and after. */
const betweenBlanks = (values: readonly number[]): number[] => [0, ...values.flatMap((value) => [value, 0])]

type ToPhonemes = (text: string, options: { symbolSet: ReadonlySet<string>; padStartEnd: boolean }) => Phonemes

interface PhonemeJob {
  prepare(options: { assetBase: string }): Promise<void>
}

/** Each model comes with the rules of its training, as a script in its folder: other rules, even better ones, would sound worse. */
const loadPhonemes = async (folder: string, language: VoiceLanguage): Promise<ToPhonemes> => {
  const script = (await import(pathToFileURL(join(folder, 'src', `g2p_${language}.js`)).href)) as Record<string, unknown>
  const toPhonemes = script[`graphemeToPhoneme${language.toUpperCase()}`] as ToPhonemes & Partial<PhonemeJob>
  if (toPhonemes.prepare) await fetchingFiles(() => toPhonemes.prepare?.({ assetBase: `${folder}/` }))
  return toPhonemes
}

/** The scripts were made for browsers and load their dictionary with `fetch`, which cannot open files. */
const fetchingFiles = async (load: () => Promise<void> | undefined): Promise<void> => {
  const { fetch } = globalThis
  globalThis.fetch = async (file) => new Response(await readFile(file as string))
  try {
    await load()
  } finally {
    globalThis.fetch = fetch
  }
}
