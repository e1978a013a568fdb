import { readFile } from 'node:fs/promises'
import { readWeights, weightsNamed, type ModelWeights } from '../tensors.ts'
import { windowSamples, energyOf } from './echo-guard.ts'
import type { HeardWindow, VoiceDetector } from './energy-detector.ts'
import { openDense, concurrentOutputs, packDense, type Dense, type DenseShape } from '../simd/dense.ts'
import { pagesFor, WebAssembly } from '../simd/wasm.ts'

/** Input samples: a window and the end of the previous one. */
export const inputSamples = 288
/** State: the last output and the cell. */
export const layer = 128
/** Its spectra: their number, samples each, and hop. They reach beyond the end, where the sound is mirrored. */
const spectra = 4
const spectrumSamples = 128
const hop = 64
const mirrored = spectrumSamples + (spectra - 1) * hop - inputSamples
const bins = spectrumSamples / 2 + 1

interface Layer {
  run: Dense
  weights: number
  inputs: number
  blocks: number
}

interface Plan {
  shape: DenseShape
  inputs: number
  outputs: number
  weightOf: (output: number, input: number) => number
  biasOf: (output: number) => number
}

/** A convolution over three neighbouring moments; those from `first` to before `end` exist. Channels of a moment are adjacent. */
const convolution = (weights: ModelWeights, name: string, rows: DenseShape['rows'], first: number, end: number): Plan => {
  const {
    dimensions: [outputs = 0, channels = 0, taps = 0],
    values,
  } = weightsNamed(weights, `${name}.weight`)
  const { values: bias } = weightsNamed(weights, `${name}.bias`)
  return {
    shape: { rows, rectified: true },
    inputs: (end - first) * channels,
    outputs,
    weightOf: (to, from) => values[(to * channels + (from % channels)) * taps + first + Math.floor(from / channels)] ?? 0,
    biasOf: (to) => bias[to] ?? 0,
  }
}

const plansOf = (weights: ModelWeights): Plan[] => {
  const basis = weightsNamed(weights, 'stft.forward_basis_buffer').values
  const [fromSound, fromState] = ['ih', 'hh'].map((part) => weightsNamed(weights, `decoder.rnn.weight_${part}`).values)
  const [biasOne, biasOther] = ['ih', 'hh'].map((part) => weightsNamed(weights, `decoder.rnn.bias_${part}`).values)
  return [
    {
      shape: { rows: 4, rectified: false },
      inputs: spectrumSamples,
      outputs: 2 * bins,
      weightOf: (to, from) => basis[to * spectrumSamples + from] ?? 0,
      biasOf: () => 0,
    },
    convolution(weights, 'encoder.0.reparam_conv', 4, 0, 3),
    convolution(weights, 'encoder.1.reparam_conv', 2, 0, 3),
    // Two moments, then one: there are none before and after.
    convolution(weights, 'encoder.2.reparam_conv', 1, 1, 3),
    convolution(weights, 'encoder.3.reparam_conv', 1, 1, 2),
    {
      shape: { rows: 1, rectified: false },
      inputs: 2 * layer,
      outputs: 4 * layer,
      weightOf: (to, from) => (from < layer ? fromSound?.[to * layer + from] : fromState?.[to * layer + from - layer]) ?? 0,
      biasOf: (to) => (biasOne?.[to] ?? 0) + (biasOther?.[to] ?? 0),
    },
  ]
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value))

/**
 * Silero VAD 6 at 8 kHz, computed by our own kernels: a call of ONNX Runtime costs more than the computation, unless many windows are
 * batched, which would add delay.
 */
export class Silero {
  readonly #floats: Float32Array
  readonly #layers: Layer[]
  /** Memory layout in floats: sound, spectra, magnitudes, outputs of the layers. Some have silence before and after. */
  readonly #at: { sound: number; spectra: number; loud: number; first: number; second: number; third: number; both: number; gates: number }
  readonly #outWeights: Float32Array
  readonly #outBias: number

  constructor(weights: ModelWeights) {
    const plans = plansOf(weights)
    const packed = plans.map(({ shape, weightOf, biasOf, ...count }) => packDense(shape, count, weightOf, biasOf))
    let next = 0
    const place = (length: number): number => (next += Math.ceil(length / 4) * 4) - Math.ceil(length / 4) * 4
    const weightsAt = packed.map(({ length }) => place(length))
    const row = outputsOf(plans[0]!)
    this.#at = {
      sound: place(inputSamples + mirrored),
      spectra: place(spectra * row),
      loud: place((spectra + 2) * bins),
      first: place((spectra + 1) * layer),
      second: place(2 * outputsOf(plans[2]!)),
      third: place(outputsOf(plans[3]!)),
      both: place(2 * layer),
      gates: place(4 * layer),
    }
    const memory = new WebAssembly.Memory({ initial: pagesFor(next * 4) })
    this.#floats = new Float32Array(memory.buffer)
    packed.forEach((numbers, nth) => this.#floats.set(numbers, weightsAt[nth]))
    const kernels = openDense(
      memory,
      plans.map(({ shape }) => shape),
    )
    this.#layers = plans.map((plan, nth) => ({
      run: kernels(plan.shape),
      weights: (weightsAt[nth] ?? 0) * 4,
      inputs: plan.inputs,
      blocks: outputsOf(plan) / concurrentOutputs(plan.shape),
    }))
    this.#outWeights = weightsNamed(weights, 'decoder.decoder.2.weight').values
    this.#outBias = weightsNamed(weights, 'decoder.decoder.2.bias').values[0] ?? 0
  }

  /** Probability of speech in these samples. `state` has twice `layer` numbers and is updated. */
  probability(context: Float32Array, window: Float32Array, state: Float32Array): number {
    const [floats, at] = [this.#floats, this.#at]
    floats.set(context, at.sound)
    floats.set(window, at.sound + context.length)
    const end = at.sound + inputSamples
    for (let i = 0; i < mirrored; i++) floats[end + i] = floats[end - 2 - i]!
    const row = (this.#layers[0]?.blocks ?? 0) * concurrentOutputs({ rows: 4, rectified: false })
    this.#run(0, at.sound, hop, at.spectra, row)
    this.#loudness(row)
    this.#run(1, at.loud, bins, at.first + layer, layer)
    this.#run(2, at.first, 2 * layer, at.second, layer / 2)
    this.#run(3, at.second, 0, at.third, 0)
    this.#run(4, at.third, 0, at.both, 0)
    floats.set(state.subarray(0, layer), at.both + layer)
    this.#run(5, at.both, 0, at.gates, 0)
    return this.#remember(state)
  }

  #loudness(row: number): void {
    const [floats, at] = [this.#floats, this.#at]
    for (let nth = 0; nth < spectra; nth++) {
      const spectrum = at.spectra + nth * row
      const target = at.loud + (nth + 1) * bins
      for (let bin = 0; bin < bins; bin++) {
        const [real, imaginary] = [floats[spectrum + bin]!, floats[spectrum + bins + bin]!]
        floats[target + bin] = Math.sqrt(real * real + imaginary * imaginary)
      }
    }
  }

  /** LSTM cell. */
  #remember(state: Float32Array): number {
    const [floats, { gates }] = [this.#floats, this.#at]
    let sum = this.#outBias
    for (let i = 0; i < layer; i++) {
      const taken = sigmoid(floats[gates + i]!) * Math.tanh(floats[gates + 2 * layer + i]!)
      const known = sigmoid(floats[gates + layer + i]!) * state[layer + i]! + taken
      const said = sigmoid(floats[gates + 3 * layer + i]!) * Math.tanh(known)
      state[layer + i] = known
      state[i] = said
      if (said > 0) sum += said * this.#outWeights[i]!
    }
    return sigmoid(sum)
  }

  #run(nth: number, input: number, inputStride: number, output: number, outputStride: number): void {
    const { run, weights, inputs, blocks } = this.#layers[nth]!
    run(input * 4, inputStride * 4, inputs, weights, output * 4, outputStride * 4, blocks)
  }
}

const outputsOf = ({ shape, outputs }: Plan): number => Math.ceil(outputs / concurrentOutputs(shape)) * concurrentOutputs(shape)

/** At 8 kHz the model needs the end of the last window before each new one. */
const contextSamples = inputSamples - windowSamples
const stateSize = 2 * layer
/** -60 dB: not speech, so the model is skipped. */
const quietEnergy = windowSamples * 1e-6
/** Number of quiet windows that still run the model, because it has to forget earlier sound. */
const quietWindows = 16

/** Layout of a stream's memory: state, context, number of quiet windows. */
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
    // After some silence it detects a voice sooner than with an empty state.
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
