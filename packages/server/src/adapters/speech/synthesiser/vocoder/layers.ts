import {
  openConvolutions,
  packWeights,
  type Convolution,
  type ConvolutionShape,
  type Ending,
  maxBehind,
} from '#adapters/speech/simd/convolution.ts'
import { weightsNamed, type ModelWeights } from '#adapters/speech/tensors.ts'
import { pagesFor, WebAssembly } from '#adapters/speech/simd/wasm.ts'

/** A convolution with its weights. */
interface Layer {
  shape: ConvolutionShape
  input: number
  output: number
  /** Samples that it looks back. */
  before: number
  numbers: Float32Array
}

/** A runnable layer: its weights are at `address`. */
export interface OpenLayer extends Layer {
  run: Convolution
  address: number
}

/** Two convolutions; the first has the larger reach. */
export interface Step<L> {
  far: L
  near: L
}

export interface Stage<L> {
  /** Makes `times` samples of one, each as a separate channel. */
  upsample: L
  times: number
  /** Surplus samples at the beginning of the output. */
  early: number
  channels: number
  /** Parallel blocks, whose mean is taken. */
  blocks: Step<L>[][]
  /** Samples that they look to each side. */
  reach: number
}

export interface Layers<L> {
  first: L
  stages: Stage<L>[]
  last: L
}

/** Upsampling factor of each stage. */
const upsampling = [8, 8, 2, 2, 2]
const dilations = [1, 3, 5]
export const leak = 0.1
const lastLeak = 0.01
const endings: readonly Ending[] = ['residual', 'summed', 'mean']

const rowsFor = (channels: number): ConvolutionShape['rows'] => (channels % 4 === 0 ? 4 : channels % 2 === 0 ? 2 : 1)

interface Input {
  ending: Ending
  dilation?: number
  leak?: number
  /** Added to the bias of the model. */
  more?: Float32Array
}

const convolution = (weights: ModelWeights, name: string, { ending, dilation = 1, leak: requested = leak, more }: Input): Layer => {
  const {
    dimensions: [output = 0, input = 0, taps = 0],
    values,
  } = weightsNamed(weights, `${name}.weight`)
  const bias = weights.get(`${name}.bias`)?.values
  const shape = { rows: rowsFor(output), taps, dilation, ending, leak: requested }
  const numbers = packWeights(
    shape,
    { input, output },
    (to, from, tap) => values[(to * input + from) * taps + tap] ?? 0,
    (to) => (bias?.[to] ?? 0) + (more?.[to] ?? 0),
  )
  return { shape, input, output, before: ((taps - 1) * dilation) / 2, numbers }
}

/** As a convolution whose channels are the upsampled samples: each depends on the last few inputs. */
const upsample = (weights: ModelWeights, name: string, times: number): Pick<Stage<Layer>, 'upsample' | 'early' | 'channels'> => {
  const {
    dimensions: [input = 0, channels = 0, length = 0],
    values,
  } = weightsNamed(weights, `${name}.weight`)
  const bias = weightsNamed(weights, `${name}.bias`).values
  const taps = length / times
  const output = channels * times
  const shape = { rows: rowsFor(output), taps, dilation: 1, ending: 'plain', leak } as const
  const numbers = packWeights(
    shape,
    { input, output },
    (to, from, tap) => values[(from * channels + Math.floor(to / times)) * length + (to % times) + times * (taps - 1 - tap)] ?? 0,
    (to) => bias[Math.floor(to / times)] ?? 0,
  )
  return { upsample: { shape, input, output, before: taps - 1, numbers }, early: (length - times) / 2, channels }
}

const stage = (weights: ModelWeights, nth: number, times: number): Stage<Layer> => {
  const isLast = nth === upsampling.length - 1
  const blocks = endings.map((ending, block) => {
    const end = { ending, ...(isLast && ending === 'mean' && { leak: lastLeak }) }
    const name = `dec.resblocks.${nth * endings.length + block}`
    return dilations.map((dilation, place) => ({
      far: convolution(weights, `${name}.convs1.${place}`, { ending: 'activated', dilation }),
      near: convolution(weights, `${name}.convs2.${place}`, place === dilations.length - 1 ? end : { ending: 'residual' }),
    }))
  })
  const reach = Math.max(...blocks.map((steps) => steps.reduce((sum, { far, near }) => sum + far.before + near.before, 0)))
  return { ...upsample(weights, `dec.ups.${nth}`, times), times, blocks, reach }
}

/** The bias that the single speaker of a model adds to its first layer. */
const speakerOf = (weights: ModelWeights): Float32Array => {
  const { values: speaker } = weightsNamed(weights, 'emb_g.weight')
  const { values: factors } = weightsNamed(weights, 'dec.cond.weight')
  const { values: bias } = weightsNamed(weights, 'dec.cond.bias')
  return bias.map((value, row) => speaker.reduce((sum, one, column) => sum + one * (factors[row * speaker.length + column] ?? 0), value))
}

const layersOf = (weights: ModelWeights): Layers<Layer> => ({
  first: convolution(weights, 'dec.conv_pre', { ending: 'activated', more: speakerOf(weights) }),
  stages: upsampling.map((times, nth) => stage(weights, nth, times)),
  last: convolution(weights, 'dec.conv_post', { ending: 'plain' }),
})

const allOf = ({ first, stages, last }: Layers<Layer>): Layer[] => [
  first,
  ...stages.flatMap(({ upsample: own, blocks }) => [own, ...blocks.flat().flatMap(({ far, near }) => [far, near])]),
  last,
]

/** Loads the weights of all layers into the memory and compiles a kernel per shape. */
export const openLayers = (weights: ModelWeights, memory: SignalMemory): Layers<OpenLayer> => {
  const layers = layersOf(weights)
  const kernels = openConvolutions(
    memory.memory,
    allOf(layers).map(({ shape }) => shape),
  )
  const open = (layer: Layer): OpenLayer => ({ ...layer, run: kernels(layer.shape), address: memory.keep(layer.numbers) })
  return {
    first: open(layers.first),
    stages: layers.stages.map((one) => ({
      ...one,
      upsample: open(one.upsample),
      blocks: one.blocks.map((steps) => steps.map(({ far, near }) => ({ far: open(far), near: open(near) }))),
    })),
    last: open(layers.last),
  }
}

/** Samples from `from` to before `to`, counted from the beginning of the sentence. */
export interface Range {
  from: number
  to: number
}

/** Channels of the same samples, in the memory of the kernels. */
export interface Signal extends Range {
  channels: number
  /** Address of the first sample of the first channel, and the distance between channels; in bytes. */
  address: number
  stride: number
}

/** Samples of silence before and after a sentence: the reach of the widest convolution. */
const margin = 32
const behind = margin + maxBehind

export const widened = ({ from, to }: Range, by: number, length: number): Range => ({
  from: Math.max(0, from - by),
  to: Math.min(length, to + by),
})

/** A smaller part of the same signal. */
export const partOf = (signal: Signal, { from, to }: Range): Signal => ({
  ...signal,
  from,
  to,
  address: signal.address + (from - signal.from) * 4,
})

/** Bump allocator for signals behind the permanent data. It can be reset to a marked position. */
export class SignalMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 })
  floats = new Float32Array(this.memory.buffer)
  #next = 0

  get place(): number {
    return this.#next
  }

  set place(place: number) {
    this.#next = place
  }

  keep(values: Float32Array): number {
    const address = this.#take(values.length)
    this.floats.set(values, address / 4)
    return address
  }

  signal(channels: number, { from, to }: Range): Signal {
    const row = margin + Math.ceil((to - from) / 4) * 4 + behind
    const address = this.#take(channels * row)
    return { channels, from, to, address: address + margin * 4, stride: row * 4 }
  }

  /** Writes silence before and after the sentence. */
  silenceAround({ channels, address, stride, from, to }: Signal, length: number): void {
    for (let channel = 0; channel < channels; channel++) {
      const begin = (address + channel * stride) / 4
      const end = begin + to - from
      if (from === 0) this.floats.fill(0, begin - margin, begin)
      if (to === length) this.floats.fill(0, end, end + margin)
    }
  }

  #take(count: number): number {
    const address = this.#next
    this.#next += Math.ceil(count / 4) * 16
    const missing = this.#next - this.memory.buffer.byteLength
    if (missing > 0) {
      this.memory.grow(pagesFor(missing))
      this.floats = new Float32Array(this.memory.buffer)
    }
    return address
  }
}
