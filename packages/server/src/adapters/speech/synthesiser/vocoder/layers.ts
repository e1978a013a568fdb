import { openConvolutions, packWeights, type Convolution, type ConvolutionShape, type Ending } from '#adapters/speech/simd/convolution.ts'
import type { SignalMemory } from './signals.ts'
import { weightsNamed, type ModelWeights } from '#adapters/speech/tensors.ts'

/** A convolution with its numbers. */
export interface Layer {
  shape: ConvolutionShape
  input: number
  output: number
  /** How many samples it looks back. */
  before: number
  numbers: Float32Array
}

/** One that can be run: its numbers lie at `address`. */
export interface OpenLayer extends Layer {
  run: Convolution
  address: number
}

/** Two convolutions, of which the first looks far. */
export interface Step<L> {
  far: L
  near: L
}

export interface Stage<L> {
  /** Makes `times` samples of one, each as a channel of its own. */
  upsample: L
  times: number
  /** So many too many come out at the beginning. */
  early: number
  channels: number
  /** Ways to look at the sound, of which the mean is taken. */
  blocks: Step<L>[][]
  /** How far they look to each side. */
  reach: number
}

export interface Layers<L> {
  first: L
  stages: Stage<L>[]
  last: L
}

/** How many samples each stage makes of one. */
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
  /** To the bias of the model. */
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

/** As a convolution that makes all samples of one as channels: a sample is made of the last few. */
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

/** What the one speaker of a model adds to its first layer. */
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

/** Puts the numbers of all layers into the memory, and makes a kernel for each shape. */
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
