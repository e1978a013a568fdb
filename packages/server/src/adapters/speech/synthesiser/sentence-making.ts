import { PieceResampler } from '#media/codec/resample.ts'
import { joined, Loudness, SoundShaper } from './shape-sound.ts'
import type { ReadSentence, VoiceModel } from './voice-model.ts'
import { voiceRate, type SpokenSentence, type VoicePiece } from './voice-protocol.ts'

/** Hertz; each rate in between would need another filter. */
const rateStep = 100
/** A rest of this few frames joins the previous chunk: a separate one would cost more. */
const shortRest = 12

/** Makes the sound of a sentence in chunks without seams. */
export class SentenceMaking {
  readonly #model: VoiceModel
  readonly #read: ReadSentence
  readonly #loudness: Loudness
  readonly #resampler: PieceResampler
  readonly #shaper: SoundShaper
  #made: number

  constructor(model: VoiceModel, read: ReadSentence, { text, pitch }: Pick<SpokenSentence, 'text' | 'pitch'>) {
    this.#model = model
    this.#read = read
    this.#made = read.from
    this.#loudness = new Loudness(model.gain)
    this.#resampler = new PieceResampler(playedAt(model, pitch), voiceRate)
    this.#shaper = new SoundShaper(voiceRate, text)
  }

  /** A higher pitch is made by speaking more slowly and playing back faster, so the duration stays the same. */
  static async begin(model: VoiceModel, sentence: SpokenSentence): Promise<SentenceMaking> {
    const { text, ipa, speed, pitch } = sentence
    const read = await model.read(text, (speed * model.rate) / playedAt(model, pitch), ipa)
    return new SentenceMaking(model, read, sentence)
  }

  /** About `frames` of sound, without the leading silence. */
  next(frames: number): VoicePiece {
    for (;;) {
      const samples = this.#more(frames)
      const last = this.#made === this.#read.to
      if (samples.length > 0 || last) return { samples, last }
    }
  }

  #more(frames: number): Int16Array<ArrayBuffer> {
    const to = this.#made + frames + shortRest >= this.#read.to ? this.#read.to : this.#made + frames
    const sound = this.#model.sound(this.#read, this.#made, to)
    this.#made = to
    const samples = this.#shaper.add(this.#resampler.add(this.#loudness.toSamples(sound)))
    if (to < this.#read.to) return samples
    const rest = [this.#shaper.add(this.#resampler.end()), this.#shaper.end()]
    return joined(samples, ...rest)
  }
}

const playedAt = (model: VoiceModel, pitch: number): number => Math.round((model.rate * 2 ** (pitch / 12)) / rateStep) * rateStep
