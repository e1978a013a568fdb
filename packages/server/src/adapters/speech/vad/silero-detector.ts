import { readFile } from 'node:fs/promises'
import { readWeights } from '../tensors.ts'
import { windowSamples } from './echo-guard.ts'
import { energyOf } from './energy.ts'
import { inputSamples, layer, Silero } from './silero.ts'
import type { HeardWindow, VoiceDetector } from './voice-detector.ts'

/** At 8 kHz the model wants the end of the last window before each new one. */
const contextSamples = inputSamples - windowSamples
const stateSize = 2 * layer
/** -60 dB: no speech, and the model need not be asked. */
const quietEnergy = windowSamples * 1e-6
/** Until then it is asked all the same, because it has to forget what it heard before. */
const quietWindows = 16

/** Where in the memory of a stream things lie: state, context, how many quiet windows there were. */
const contextAt = stateSize
const quietAt = stateSize + contextSamples

/** The file has two models; this one is for 8 kHz. */
const partFor8k = 'If_0_else_branch__Inline_0__'

/** Silero VAD, version 6, at 8 kHz. */
export class SileroDetector implements VoiceDetector {
  readonly firstMemory = new Float32Array(quietAt + 1)
  readonly mistakesKeys = true
  readonly #model: Silero

  private constructor(model: Silero) {
    this.#model = model
  }

  static async load(file: string): Promise<SileroDetector> {
    const silero = new SileroDetector(new Silero(readWeights(await readFile(file), partFor8k)))
    // After some silence it notices a voice sooner than when it knows nothing yet.
    const silence = { window: new Float32Array(windowSamples), memory: silero.firstMemory }
    for (let i = 0; i < quietWindows; i++) silero.#ask(silence)
    return silero
  }

  probability(heard: HeardWindow): number {
    return this.#isQuiet(heard) ? 0 : this.#ask(heard)
  }

  #isQuiet({ window, memory }: HeardWindow): boolean {
    if (energyOf(window) > quietEnergy) {
      memory[quietAt] = 0
      return false
    }
    const quiet = memory[quietAt]! + 1
    memory[quietAt] = quiet
    if (quiet < quietWindows) return false
    memory.set(this.firstMemory.subarray(0, quietAt))
    return true
  }

  #ask({ window, memory }: HeardWindow): number {
    const context = memory.subarray(contextAt, contextAt + contextSamples)
    const probability = this.#model.probability(context, window, memory.subarray(0, stateSize))
    memory.set(window.subarray(windowSamples - contextSamples), contextAt)
    return probability
  }
}
