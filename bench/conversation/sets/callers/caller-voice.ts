import { modelsFolder } from '#adapters/speech/models/model-list.ts'
import type { VoiceLanguage } from '#adapters/speech/synthesiser/voice-languages.ts'
import { VoiceModel, type ReadSentence } from '#adapters/speech/synthesiser/voice-model.ts'
import type { Latent } from '#adapters/speech/synthesiser/vocoder/vocoder.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { sampleRate } from '../recording.ts'
import { trimmed } from '../sound-file.ts'
import { readAloud, type Piece } from './turns.ts'

/** One of the callers that share a voice: its speed, and its pitch as a factor. */
export interface Speaker {
  speed: number
  pitch: number
}

/** Peak of a turn: callers are about as loud as the announcements of the other sets. */
const peak = 12_000
/** Latent frames that hold the last syllable before a pause: about 250 ms. */
const syllableFrames = 21
/** Each of them is said this many times when the word is drawn out. */
const drawnOut = 1.8
/** Frames of a comma that still belong to the sound before and after it. */
const edgeFrames = 6

/** Frames of one piece. */
interface Range {
  from: number
  to: number
}

/**
 * The embedded voice as a caller. Without the randomness of the assistant's voice, so that the set sounds the same in every run on a machine.
 */
export class CallerVoice {
  readonly #model: VoiceModel
  readonly #language: string

  private constructor(model: VoiceModel, language: string) {
    this.#model = model
    this.#language = language
  }

  static async open(language: VoiceLanguage): Promise<CallerVoice> {
    const folder = modelsFolder(process.env['OFFHOOK_MODELS'])
    if (folder === undefined) throw new Error('there is no embedded voice: `offhook models` fetches it')
    return new CallerVoice(await VoiceModel.load(folder, language, 1, true), language)
  }

  /**
   * Telephone sound of each piece, without silence around it. The turn is read as one, with a comma where a pause will be, and cut there: pieces
   * read one by one would each end as sentences do.
   */
  async say(pieces: readonly Piece[], { speed, pitch }: Speaker): Promise<Int16Array<ArrayBuffer>[]> {
    const { text, commas } = readAloud(pieces)
    const read = await this.#model.read(spokenText(text, this.#language), speed / pitch)
    const said = pieceRanges(read, commas).map((range, nth) => this.#sound(read, range, pieces[nth]?.isDrawnOut === true))
    const loudest = Math.max(...said.map((sound) => sound.reduce((max, value) => Math.max(max, Math.abs(value)), 1e-6)))
    const rate = Math.round((this.#model.rate * pitch) / 100) * 100
    return said.map((sound) => {
      const samples = Int16Array.from(sound, (value) => Math.round((value * peak) / loudest))
      return trimmed(Int16Array.from(resampleSound(samples, rate, sampleRate)))
    })
  }

  #sound(read: ReadSentence, range: Range, isDrawnOut: boolean): Float32Array {
    if (!isDrawnOut) return this.#model.sound(read, range.from, range.to)
    const { latent, to } = lengthened(read, range)
    return this.#model.sound(latent, range.from, to)
  }
}

/** Frames of the pieces; `commas`: which of the commas are pauses. */
const pieceRanges = ({ phones, from, to }: ReadSentence, commas: readonly number[]): Range[] => {
  const marks = phones.flatMap(({ name, from: begin }, nth) => (name === ',' ? [{ from: begin, to: phones[nth + 1]?.from ?? begin }] : []))
  const cuts = commas.map((nth) => {
    const mark = marks[nth]
    if (!mark) throw new Error('the voice reads other commas than the text has')
    return { before: Math.min(mark.from + edgeFrames, mark.to), after: Math.max(mark.to - edgeFrames, mark.from) }
  })
  return [...cuts, undefined].map((cut, nth) => ({ from: cuts[nth - 1]?.after ?? from, to: cut?.before ?? to }))
}

/** Repeats the frames of the last syllable, as callers do who look for the next word. */
const lengthened = ({ frames, values }: ReadSentence, { from, to }: Range): { latent: Latent; to: number } => {
  const order: number[] = []
  const first = Math.max(from, to - edgeFrames - syllableFrames)
  for (let frame = 0; frame < frames; frame++) {
    const isLast = frame >= first && frame < to - edgeFrames
    const times = isLast ? Math.floor((frame - first + 1) * drawnOut) - Math.floor((frame - first) * drawnOut) : 1
    for (let time = 0; time < times; time++) order.push(frame)
  }
  const channels = values.length / frames
  const longer = new Float32Array(channels * order.length)
  for (let channel = 0; channel < channels; channel++)
    for (const [at, frame] of order.entries()) longer[channel * order.length + at] = values[channel * frames + frame] ?? 0
  return { latent: { frames: order.length, values: longer }, to: to + order.length - frames }
}
