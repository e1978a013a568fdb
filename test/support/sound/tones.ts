import { amplitudeOf } from './spectrum.ts'

/** Short enough to locate start and end of a tone, long enough to separate tones 50 Hz apart. */
const windowMs = 40
/** Threshold of an audible tone: 1/100 of full scale, far above codec noise and far below the phones' level. */
const audible = 0.01
/** Only the tone of a phone is this loud at one frequency; speech and music are not. */
export const loud = 0.2

/** Seconds of a tone. */
export const secondsOf = (samples: Float32Array, rate: number, hz: number, threshold = audible): number => {
  const size = windowSize(rate)
  let windows = 0
  for (let at = 0; at + size <= samples.length; at += size) {
    if (amplitudeOf(samples.subarray(at, at + size), hz, rate) > threshold) windows++
  }
  return (windows * windowMs) / 1000
}

/** Longest run of digital silence, in samples. */
export const longestSilence = (samples: Int16Array | Float32Array): { from: number; to: number; length: number } => {
  let [longest, from] = [{ from: 0, to: 0, length: 0 }, 0]
  for (let at = 0; at <= samples.length; at++) {
    if (at < samples.length && samples[at] === 0) continue
    if (at - from > longest.length) longest = { from, to: at, length: at - from }
    from = at + 1
  }
  return longest
}

const windowSize = (rate: number): number => Math.round((rate * windowMs) / 1000)

/** Counts the duration of a tone in a growing recording; processes each part once. */
export class ToneCounter {
  seconds = 0
  readonly #hz: number
  #looked = 0

  constructor(hz: number) {
    this.#hz = hz
  }

  count(samples: Float32Array, rate: number): number {
    const size = windowSize(rate)
    const fresh = samples.subarray(this.#looked, samples.length - (samples.length % size))
    this.#looked += fresh.length
    this.seconds += secondsOf(fresh, rate, this.#hz, loud)
    return this.seconds
  }
}

/** Maximum amplitude of a tone over all windows. */
export const peakOf = (samples: Float32Array, rate: number, hz: number): number => {
  const size = windowSize(rate)
  let peak = 0
  for (let at = 0; at + size <= samples.length; at += size) peak = Math.max(peak, amplitudeOf(samples.subarray(at, at + size), hz, rate))
  return peak
}

/** Seconds of any sound. */
export const secondsOfSound = (samples: Float32Array, rate: number): number => (soundingWindows(samples, rate).length * windowMs) / 1000

/** Start positions of windows with sound. */
const soundingWindows = (samples: Float32Array, rate: number): number[] => {
  const size = windowSize(rate)
  const places = Array.from({ length: Math.floor(samples.length / size) }, (_, window) => window * size)
  return places.filter((at) => {
    const part = samples.subarray(at, at + size)
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / size) > audible
  })
}

/** Longer than any pause within a sentence. */
const pauseSeconds = 0.7

/** Continuous utterances, with a little silence before and after. */
export const loudParts = (samples: Float32Array, rate: number): Float32Array[] => {
  const parts: { from: number; to: number }[] = []
  for (const at of soundingWindows(samples, rate)) {
    const last = parts.at(-1)
    if (last && at - last.to < pauseSeconds * rate) last.to = at
    else parts.push({ from: at, to: at })
  }
  const margin = (pauseSeconds / 2) * rate
  return parts.map(({ from, to }) => samples.subarray(Math.max(0, from - margin), to + margin))
}
