import { windowSamples } from './echo-guard.ts'
import { energyOf } from './energy.ts'
import type { HeardWindow, VoiceDetector } from './voice-detector.ts'

/** A window is looked at in quarters; half of them have to be loud, which they are not in a click. */
const quarter = windowSamples / 4
const enoughQuarters = 2
/** -45 dB. */
const leastEnergy = quarter * 3.2e-5
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

  async probabilities(heard: readonly HeardWindow[]): Promise<Float32Array> {
    return Float32Array.from(heard, ({ window, memory }) => {
      const energies = [0, 1, 2, 3].map((part) => energyOf(window, part * quarter, (part + 1) * quarter))
      const noise = memory[0]!
      const loud = energies.filter((energy) => energy > Math.max(leastEnergy, aboveNoise * noise))
      if (loud.length >= enoughQuarters) return loudProbability
      memory[0] = noiseSmoothing * noise + (1 - noiseSmoothing) * Math.min(...energies)
      return 0
    })
  }
}
