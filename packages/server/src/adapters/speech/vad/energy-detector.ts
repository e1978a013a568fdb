import { windowSamples, energyOf } from './echo-guard.ts'

/** A window is split into quarters; half of them have to be loud, which a click is not. */
const quarter = windowSamples / 4
const enoughQuarters = 2
/** -45 dB. */
const minEnergy = quarter * 3.2e-5
/** 9 dB. */
const aboveNoise = 8
const noiseSmoothing = 0.9
/** Likely enough for two windows in a row, not for one alone. */
const loudProbability = 0.7

/** Treats everything loud as speech, including tones. Needs no model and is deterministic. */
export class EnergyDetector implements VoiceDetector {
  /** Energy of the noise in a quarter. */
  readonly firstMemory = new Float32Array(1)
  readonly mistakesKeys = false

  probability({ window, memory }: HeardWindow): number {
    const noise = memory[0]!
    const loud = Math.max(minEnergy, aboveNoise * noise)
    let [softest, loudQuarters] = [Infinity, 0]
    for (let from = 0; from < windowSamples; from += quarter) {
      const energy = energyOf(window, from, from + quarter)
      softest = Math.min(softest, energy)
      if (energy > loud) loudQuarters++
    }
    if (loudQuarters >= enoughQuarters) return loudProbability
    memory[0] = noiseSmoothing * noise + (1 - noiseSmoothing) * softest
    return 0
  }
}

/** One window of a stream, and the detector's memory of that stream. */
export interface HeardWindow {
  readonly window: Float32Array
  readonly memory: Float32Array
}

/** Estimates the probability of speech in a window. */
export interface VoiceDetector {
  /** Memory of a new stream; every stream gets a copy. */
  readonly firstMemory: Float32Array
  /** It mistakes DTMF for speech. */
  readonly mistakesKeys: boolean
  probability(heard: HeardWindow): number
}
