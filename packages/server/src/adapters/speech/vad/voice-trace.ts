import { windowSamples } from './echo-guard.ts'
import { energyOf } from './energy.ts'

/** 8 ms: finer than a window, so that beginnings and ends are told more exactly than windows are long. */
const stepSamples = 64
const stepsPerWindow = windowSamples / stepSamples
/** The last half second. */
const keptSteps = 64
/** The noise falls as it does, but rises slowly (3 dB in 100 ms), because what rises may be a voice that was not noticed yet. */
const noiseSmoothing = 0.9
const noiseRise = 1.06
/** Above the noise, in energy: 6 dB. */
const aboveNoise = 4
/** Below the loudest of an utterance: 40 dB. */
const belowLoudest = 1e-4
/** -75 dB: what is softer is inaudible. */
const minEnergy = stepSamples * 3.2e-8
/** How far before the first window with speech its beginning is looked for. */
const earlierSteps = 12

/** How loud the last half second was, step by step, to find where exactly a voice begins and ends. */
export class VoiceTrace {
  readonly #energies = new Float64Array(keptSteps)
  /** Steps since the beginning. */
  #steps = 0
  #noise = minEnergy
  #loudest = 0

  add(window: Float32Array): void {
    for (let at = 0; at < window.length; at += stepSamples)
      this.#energies[this.#steps++ % keptSteps] = energyOf(window, at, at + stepSamples)
  }

  /** The last window was without speech. */
  isNoise(): void {
    for (let step = this.#steps - stepsPerWindow; step < this.#steps; step++) {
      const level = noiseSmoothing * this.#noise + (1 - noiseSmoothing) * this.#energy(step)
      this.#noise = Math.max(minEnergy, Math.min(level, noiseRise * this.#noise))
    }
    this.#loudest = 0
  }

  /** The last window was speech. */
  isVoice(): void {
    for (let step = this.#steps - stepsPerWindow; step < this.#steps; step++) this.#loudest = Math.max(this.#loudest, this.#energy(step))
  }

  /** Something in the last window was loud enough to be voice. */
  get sounds(): boolean {
    for (let step = this.#steps - stepsPerWindow; step < this.#steps; step++) if (this.#isLoud(step)) return true
    return false
  }

  /** The place where the voice begins that was noticed in the window at this place. */
  beginning(noticed: number): number {
    let step = noticed / stepSamples
    const earliest = Math.max(0, step - earlierSteps, this.#steps - keptSteps)
    if (this.#isLoud(step)) while (step > earliest && this.#isLoud(step - 1)) step--
    else while (step < this.#steps - 1 && !this.#isLoud(step)) step++
    return step * stepSamples
  }

  /** The place after the last loud step. */
  end(): number {
    let step = this.#steps
    while (step > Math.max(0, this.#steps - keptSteps) && !this.#isLoud(step - 1)) step--
    return step * stepSamples
  }

  #energy(step: number): number {
    return this.#energies[step % keptSteps]!
  }

  #isLoud(step: number): boolean {
    return this.#energy(step) > Math.max(aboveNoise * this.#noise, belowLoudest * this.#loudest)
  }
}
