import type * as runtime from 'onnxruntime-node'
import { InferenceSession, Tensor } from '../onnx-runtime.ts'
import { windowSamples } from './echo-guard.ts'
import { energyOf } from './energy.ts'
import type { HeardWindow, VoiceDetector } from './voice-detector.ts'

/** At 8 kHz the model wants the end of the last window before each new one. */
const contextSamples = 32
const inputSamples = contextSamples + windowSamples
/** Two layers of this size. */
const layer = 128
const stateSize = 2 * layer
const rate = new Tensor('int64', BigInt64Array.of(8000n), [])
/** More at once would not be faster, but keep the others waiting. */
const largestBatch = 64
/** -60 dB: no speech, and the model need not be asked. */
const quietEnergy = windowSamples * 1e-6
/** Until then it is asked all the same, because it has to forget what it heard before. */
const quietWindows = 16

/** Where in the memory of a stream things lie: state, context, how many quiet windows there were. */
const contextAt = stateSize
const quietAt = stateSize + contextSamples

/** Silero VAD, version 6, at 8 kHz. Its `run` blocks the thread. */
export class SileroDetector implements VoiceDetector {
  readonly firstMemory = new Float32Array(quietAt + 1)
  readonly mistakesKeys = true
  readonly #session: runtime.InferenceSession
  readonly #input = new Float32Array(largestBatch * inputSamples)
  readonly #state = new Float32Array(largestBatch * stateSize)

  private constructor(session: runtime.InferenceSession) {
    this.#session = session
  }

  static async load(model: string): Promise<SileroDetector> {
    const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 })
    const silero = new SileroDetector(session)
    // After some silence it notices a voice sooner than when it knows nothing yet.
    const silence = { window: new Float32Array(windowSamples), memory: silero.firstMemory }
    for (let i = 0; i < quietWindows; i++) await silero.#run([silence])
    return silero
  }

  async probabilities(heard: readonly HeardWindow[]): Promise<Float32Array> {
    const result = new Float32Array(heard.length)
    const worthAsking = heard.flatMap((one, place) => (this.#isQuiet(one) ? [] : [place]))
    for (let from = 0; from < worthAsking.length; from += largestBatch) {
      const places = worthAsking.slice(from, from + largestBatch)
      const probabilities = await this.#run(places.map((place) => heard[place]!))
      places.forEach((place, i) => (result[place] = probabilities[i] ?? 0))
    }
    return result
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

  async #run(batch: readonly HeardWindow[]): Promise<Float32Array> {
    const size = batch.length
    const [input, state] = [this.#input.subarray(0, size * inputSamples), this.#state.subarray(0, size * stateSize)]
    batch.forEach(({ window, memory }, i) => {
      input.set(memory.subarray(contextAt, contextAt + contextSamples), i * inputSamples)
      input.set(window, i * inputSamples + contextSamples)
      state.set(memory.subarray(0, layer), i * layer)
      state.set(memory.subarray(layer, stateSize), (size + i) * layer)
    })
    const feeds = {
      input: new Tensor('float32', input, [size, inputSamples]),
      state: new Tensor('float32', state, [2, size, layer]),
      sr: rate,
    }
    const { output, stateN } = await this.#session.run(feeds)
    if (!(output?.data instanceof Float32Array) || !(stateN?.data instanceof Float32Array)) throw new Error('the model is not Silero VAD 6')
    const next = stateN.data
    batch.forEach(({ window, memory }, i) => {
      memory.set(next.subarray(i * layer, (i + 1) * layer))
      memory.set(next.subarray((size + i) * layer, (size + i + 1) * layer), layer)
      memory.set(window.subarray(windowSamples - contextSamples), contextAt)
    })
    return output.data
  }
}
