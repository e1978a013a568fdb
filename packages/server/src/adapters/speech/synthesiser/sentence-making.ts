import { PieceResampler } from '#media/codec/resample.ts'
import { joined, Loudness, SoundShaper } from './shape-sound.ts'
import type { Latent } from './vocoder/vocoder.ts'
import type { VoiceModel } from './voice-model.ts'
import { voiceRate, type SpokenSentence, type VoicePiece } from './voice-protocol.ts'

/** Rates in between would need a filter of their own each. */
const rateStep = 100

/** A sentence whose sound is made piece by piece, without seams. */
export class SentenceMaking {
  readonly #model: VoiceModel
  readonly #latent: Latent
  readonly #loudness: Loudness
  readonly #resampler: PieceResampler
  readonly #shaper: SoundShaper
  #made = 0

  constructor(model: VoiceModel, latent: Latent, { text, pitch }: Pick<SpokenSentence, 'text' | 'pitch'>) {
    this.#model = model
    this.#latent = latent
    this.#loudness = new Loudness(model.gain)
    this.#resampler = new PieceResampler(playedAt(model, pitch), voiceRate)
    this.#shaper = new SoundShaper(voiceRate, text)
  }

  /** Higher: it is said more slowly and played back faster, so that it takes as long as before. */
  static async begin(model: VoiceModel, sentence: SpokenSentence): Promise<SentenceMaking> {
    const { text, speed, pitch } = sentence
    const latent = await model.read(text, (speed * model.rate) / playedAt(model, pitch))
    return new SentenceMaking(model, latent, sentence)
  }

  /** About `frames` of sound, without the silence before it. */
  next(frames: number): VoicePiece {
    for (;;) {
      const samples = this.#more(frames)
      const last = this.#made === this.#latent.frames
      if (samples.length > 0 || last) return { samples, last }
    }
  }

  #more(frames: number): Int16Array<ArrayBuffer> {
    const to = this.#model.pieceEnd(this.#latent, this.#made, frames)
    const sound = this.#model.sound(this.#latent, this.#made, to)
    this.#made = to
    const samples = this.#shaper.add(this.#resampler.add(this.#loudness.toSamples(sound)))
    if (to < this.#latent.frames) return samples
    const rest = [this.#shaper.add(this.#resampler.end()), this.#shaper.end()]
    return joined(samples, ...rest)
  }
}

const playedAt = (model: VoiceModel, pitch: number): number => Math.round((model.rate * 2 ** (pitch / 12)) / rateStep) * rateStep
