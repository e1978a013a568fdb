/** Sound quieter than a loud voice by this factor (40 dB) is not speech. */
const silenceShare = 0.01
/** Peak level of the voices with their gain, as a share of full scale. Known before the whole sentence is. */
const defaultPeak = 0.5
const windowMs = 5
/** Soft consonants begin and end below the threshold. */
const windowsKeptBefore = 3
const keptMs = 60
/** Peak of the output: telephone codecs clip above it. */
const ceiling = 0.9
const fullScale = 32_767
/** Milliseconds of pause after a sentence, a clause, a word. The models add half a second after everything and a fifth before. */
const pauseMs = { sentence: 250, clause: 120, word: 40 }

/** Converts the models' sound to 16 bit, as loud as the other voices. */
export class Loudness {
  #gain: number

  constructor(gain: number) {
    this.#gain = gain
  }

  /** A chunk that is too loud makes the rest of the sentence quieter: that is less audible than clipping, and rare. */
  toSamples(sound: Float32Array): Int16Array {
    let loudest = 0
    for (let i = 0; i < sound.length; i++) loudest = Math.max(loudest, Math.abs(sound[i]!))
    if (loudest * this.#gain > ceiling) this.#gain = ceiling / loudest
    const factor = fullScale * this.#gain
    const samples = new Int16Array(sound.length)
    for (let i = 0; i < sound.length; i++) samples[i] = Math.round(sound[i]! * factor)
    return samples
  }
}

/** Removes the silence around speech and adds a pause that fits the end of `text`. Works in chunks. */
export class SoundShaper {
  readonly #perMs: number
  readonly #window: number
  readonly #pause: number
  /** Begins at a window: possible speech, or the silence after it. */
  #held: Int16Array<ArrayBuffer> = new Int16Array(0)
  #loudest: number
  #started = false

  /** `loudest`: the peak, if known. */
  constructor(rate: number, text: string, loudest: number = defaultPeak * fullScale) {
    this.#loudest = loudest
    this.#perMs = rate / 1000
    this.#window = Math.round(windowMs * this.#perMs)
    this.#pause = Math.round(pauseAfter(text) * this.#perMs)
  }

  /** Returns sound up to the last window with speech. Empty while there is only silence. */
  add(samples: Int16Array): Int16Array<ArrayBuffer> {
    this.#held = joined(this.#held, samples)
    return this.#give(Math.floor(this.#held.length / this.#window))
  }

  end(): Int16Array<ArrayBuffer> {
    const given = this.#give(Math.ceil(this.#held.length / this.#window))
    if (!this.#started) return given
    const after = this.#held.subarray(0, Math.round(keptMs * this.#perMs))
    return joined(given, after, new Int16Array(this.#pause))
  }

  #give(windows: number): Int16Array<ArrayBuffer> {
    const peaks = Array.from({ length: windows }, (_, i) => peakOf(this.#held, i * this.#window, (i + 1) * this.#window))
    this.#loudest = peaks.reduce((loudest, peak) => Math.max(loudest, peak), this.#loudest)
    const loud = (peak: number): boolean => peak > this.#loudest * silenceShare
    const first = this.#started ? 0 : peaks.findIndex(loud)
    const from = this.#started ? 0 : Math.max(0, (first < 0 ? windows : first) - windowsKeptBefore) * this.#window
    const to = Math.max(from, Math.min(this.#held.length, (peaks.findLastIndex(loud) + 1) * this.#window))
    this.#started ||= first >= 0
    const given = this.#held.slice(from, to)
    this.#held = this.#held.slice(to)
    return given
  }
}

/** Shapes a whole sound. */
export const shapeSound = (samples: Int16Array, rate: number, text: string): Int16Array<ArrayBuffer> => {
  const shaper = new SoundShaper(rate, text, peakOf(samples, 0, samples.length))
  return joined(shaper.add(samples), shaper.end())
}

const pauseAfter = (text: string): number => (/[.!?…]$/.test(text) ? pauseMs.sentence : text.endsWith(',') ? pauseMs.clause : pauseMs.word)

const peakOf = (samples: Int16Array, from: number, to: number): number => {
  let peak = 0
  for (let i = from; i < Math.min(to, samples.length); i++) peak = Math.max(peak, Math.abs(samples[i] ?? 0))
  return peak
}

export const joined = (...pieces: readonly Int16Array[]): Int16Array<ArrayBuffer> => {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
