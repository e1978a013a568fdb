import type { LastSound } from '#core/kernel/ports/speech.ts'

/** 8 kHz: 40 ms every 20 ms. Pitch between 73 and 400 Hz, by autocorrelation. */
const frame = 320
const hop = 160
const lags = { shortest: 20, maxLength: 110 }
const voicedAbove = 0.6
/** A longer lag is also like it: it has to be clearly more so. */
const clearly = 0.01
/** Mean square of 16 bit samples: quieter is not voiced. */
const quietest = 1e4
const endMs = 150
const fewest = 4
/** What was said before tells nothing of the end. */
const maxSamples = 8 * 8000

interface Voiced {
  at: number
  /** In semitones above 100 Hz. */
  pitch: number
  db: number
}

/** How the voice ends in what was said, at 8 kHz; undefined when hardly anything is voiced. */
export const lastSound = (whole: Int16Array): LastSound | undefined => {
  const sound = Float64Array.from(whole.subarray(Math.max(0, whole.length - maxSamples)))
  const voiced = voicedFrames(sound)
  const last = voiced.at(-1)
  if (!last || voiced.length < fewest) return undefined
  const end = voiced.filter(({ at }) => at > last.at - endMs)
  const pitches = voiced.map(({ pitch }) => pitch)
  const pitch = quantile(
    end.map((one) => one.pitch),
    0.5,
  )
  return {
    energyDb: meanDb(end) - meanDb(voiced),
    aboveLow: pitch - quantile(pitches, 0.1),
    againstMedian: pitch - quantile(pitches, 0.5),
  }
}

const voicedFrames = (sound: Float64Array): Voiced[] => {
  const energy = energyUntil(sound)
  const voiced: Voiced[] = []
  for (let at = 0; at + frame <= sound.length; at += hop) {
    const mean = (energy[at + frame]! - energy[at]!) / frame
    if (mean < quietest) continue
    const { lag, likeness } = bestLag(sound, energy, at)
    if (likeness > voicedAbove) voiced.push({ at: at / 8, pitch: 12 * Math.log2(8000 / lag / 100), db: 10 * Math.log10(mean + 1) })
  }
  return voiced
}

/** By how many samples a frame has to be moved to be most like itself. */
const bestLag = (sound: Float64Array, energy: Float64Array, at: number): { lag: number; likeness: number } => {
  let lag = 0
  let likeness = 0
  for (let moved = lags.shortest; moved <= lags.maxLength; moved++) {
    let product = 0
    const end = at + frame - moved
    for (let i = at; i < end; i++) product += sound[i]! * sound[i + moved]!
    const power = 1 + energy[end]! - energy[at]! + energy[at + frame]! - energy[at + moved]!
    if ((2 * product) / power <= likeness + clearly) continue
    lag = moved
    likeness = (2 * product) / power
  }
  return { lag, likeness }
}

/** Of everything before a sample. */
const energyUntil = (sound: Float64Array): Float64Array => {
  const energy = new Float64Array(sound.length + 1)
  for (let i = 0; i < sound.length; i++) energy[i + 1] = energy[i]! + sound[i]! ** 2
  return energy
}

const meanDb = (frames: readonly Voiced[]): number => frames.reduce((sum, { db }) => sum + db, 0) / frames.length

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0
