import { amplitudeOf } from './spectrum.ts'

/** Short enough to see where a tone begins and ends, long enough to tell tones apart that are 50 Hz from each other. */
const windowMs = 40
/** A tone counts as heard from here on: 1/100 of full scale, far above the noise of a codec and far below what the phones send. */
const audible = 0.01
/** Nothing but the tone of a phone is so loud at one frequency: speech and music are not. */
export const loud = 0.2

/** How long a tone was there, in seconds. */
export const secondsOf = (samples: Float32Array, rate: number, hz: number, threshold = audible): number => {
  const size = windowSize(rate)
  let windows = 0
  for (let at = 0; at + size <= samples.length; at += size) {
    if (amplitudeOf(samples.subarray(at, at + size), hz, rate) > threshold) windows++
  }
  return (windows * windowMs) / 1000
}

const windowSize = (rate: number): number => Math.round((rate * windowMs) / 1000)

/** Counts how long a tone is there in a recording that grows; each part is looked at once. */
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

/** The strongest that the loudest window has of a tone. */
export const peakOf = (samples: Float32Array, rate: number, hz: number): number => {
  const size = windowSize(rate)
  let peak = 0
  for (let at = 0; at + size <= samples.length; at += size) peak = Math.max(peak, amplitudeOf(samples.subarray(at, at + size), hz, rate))
  return peak
}

/** How long there was any sound at all, in seconds. */
export const secondsOfSound = (samples: Float32Array, rate: number): number => (soundingWindows(samples, rate).length * windowMs) / 1000

/** Where there is any sound, as the places where those windows begin. */
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

/** What was said in one go, with a little silence before and after it. */
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
