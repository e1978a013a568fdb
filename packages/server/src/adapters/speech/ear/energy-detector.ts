import { energyOf, windowSamples } from './echo-guard.ts'
import type { HeardWindow, VoiceDetector } from './voice-detector.ts'

/** -45 dB. */
const leastEnergy = windowSamples * 3.2e-5
/** 9 dB. */
const aboveNoise = 8
const noiseSmoothing = 0.9
/** Likely enough for two windows in a row, not for one alone: a click is shorter. */
const loudProbability = 0.7

/** Takes everything loud for speech, tones too. Needs no model and always says the same of the same sound. */
export class EnergyDetector implements VoiceDetector {
  /** The energy of the noise. */
  readonly firstMemory = new Float32Array(1)
  readonly mistakesKeys = false

  async probabilities(heard: readonly HeardWindow[]): Promise<Float32Array> {
    return Float32Array.from(heard, ({ window, memory }) => {
      const energy = energyOf(window)
      const noise = memory[0]!
      if (energy > Math.max(leastEnergy, aboveNoise * noise)) return loudProbability
      memory[0] = noiseSmoothing * noise + (1 - noiseSmoothing) * energy
      return 0
    })
  }
}
