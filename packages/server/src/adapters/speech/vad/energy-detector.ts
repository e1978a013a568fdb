import { windowSamples } from './echo-guard.ts'
import { energyOf } from './energy.ts'
import type { HeardWindow, VoiceDetector } from './voice-detector.ts'

/** A window is looked at in quarters; half of them have to be loud, which they are not in a click. */
const quarter = windowSamples / 4
const enoughQuarters = 2
/** -45 dB. */
const minEnergy = quarter * 3.2e-5
/** 9 dB. */
const aboveNoise = 8
const noiseSmoothing = 0.9
/** Likely enough for two windows in a row, not for one alone. */
const loudProbability = 0.7

/** Takes everything loud for speech, tones too. Needs no model and always says the same of the same sound. */
export class EnergyDetector implements VoiceDetector {
  /** The energy of the noise in a quarter. */
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
