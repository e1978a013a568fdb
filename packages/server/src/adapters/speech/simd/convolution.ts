import {
  add,
  add4,
  advance,
  code,
  countDown,
  float4,
  get,
  integer,
  isBelow,
  larger4,
  load4,
  loop,
  put,
  store4,
  times,
  times4,
  timesAdd4,
  wasmModule,
} from './wasm.ts'
import type { WasmFunction } from './wasm.ts'
import { WebAssembly, type WasmMemory } from './web-assembly.ts'

/** What becomes of a sum. `activated` is the sum, or a small part of it where it is negative. */
export type Ending =
  /** It is stored. */
  | 'plain'
  /** Only activated. */
  | 'activated'
  /** `added` is added to it; stored as it is, and activated. */
  | 'residual'
  /** `added` and what stands where it goes is added to it. */
  | 'summed'
  /** The same, and the mean of the three is stored, activated. */
  | 'mean'

export interface ConvolutionShape {
  /** Channels that are made at once; there must be a multiple of them. */
  rows: 1 | 2 | 4
  taps: number
  dilation: number
  ending: Ending
  /** How much of negative values an activation leaves. */
  leak: number
}

/**
 * Addresses and distances are in bytes. A channel lies `stride` behind the one before, in both. `input` is where the first tap of the first
 * sample lies, `length` how much is made: some samples more are written, and read.
 */
export type Convolution = (
  input: number,
  inputStride: number,
  inputChannels: number,
  weights: number,
  output: number,
  outputStride: number,
  rowBlocks: number,
  length: number,
  added: number,
  activated: number,
) => void

const [input, inputStride, inputChannels, weights, output, outputStride, rowBlocks, length, added, activated] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
]
const parameters = 10
/** Locals: how far it is, where it reads, its weights, channels left, where it writes. */
const [place, from, weightsFrom, channelsLeft, to] = [10, 11, 12, 13, 14]
const integers = 5
const firstVector = parameters + integers

const vectorBytes = 16
/** How many vectors of each row are made at once: as many as fit into the registers with what is read. */
const vectorsFor = ({ rows }: Pick<ConvolutionShape, 'rows'>): number =>
  process.arch === 'arm64' ? (rows === 4 ? 4 : 8) : rows === 4 ? 2 : 4

/** So many samples may be written and read behind the last. */
export const maxBehind = 32

const nameOf = (shape: ConvolutionShape): string => JSON.stringify(shape)

const convolution = (shape: ConvolutionShape): WasmFunction => {
  const { rows, taps, dilation } = shape
  const vectors = range(vectorsFor(shape))
  const sum = (row: number, vector: number): number => firstVector + row * vectors.length + vector
  const read = (vector: number): number => sum(rows, vector)
  const weight = sum(rows + 1, 0)
  const begin = range(rows).flatMap((row) => {
    const first = code(get(weights), load4(row * vectorBytes))
    return vectors.flatMap((vector) => put(sum(row, vector), first))
  })
  const tap = (nth: number): number[] =>
    code(
      ...vectors.map((vector) => put(read(vector), code(get(from), load4(nth * dilation * 4 + vector * vectorBytes)))),
      ...range(rows).map((row) =>
        code(
          put(weight, code(get(weightsFrom), load4((nth * rows + row) * vectorBytes))),
          ...vectors.map((vector) => put(sum(row, vector), code(get(weight), get(read(vector)), get(sum(row, vector)), timesAdd4))),
        ),
      ),
    )
  const channel = code(...range(taps).map(tap), advance(from, get(inputStride)), advance(weightsFrom, integer(taps * rows * vectorBytes)))
  const samples = code(
    begin,
    put(weightsFrom, code(get(weights), integer(rows * vectorBytes), add)),
    put(from, code(get(input), get(place), add)),
    put(channelsLeft, get(inputChannels)),
    loop(channel, countDown(channelsLeft)),
    finish(shape, sum, vectors),
    advance(place, integer(vectors.length * vectorBytes)),
  )
  const block = code(
    put(place, integer(0)),
    loop(samples, isBelow(place, length)),
    // The weights of the next rows lie behind those of these.
    put(weights, get(weightsFrom)),
    ...[output, added, activated].map((local) => advance(local, code(get(outputStride), integer(rows), times))),
  )
  return { name: nameOf(shape), parameters, integers, vectors: (rows + 1) * vectors.length + 1, body: loop(block, countDown(rowBlocks)) }
}

/** Row by row: each lies a stride behind the one before. */
const finish = ({ rows, ending, leak }: ConvolutionShape, sum: (row: number, vector: number) => number, vectors: number[]): number[] => {
  const at = (base: number): number[] => code(get(base), get(to), add)
  const end = (value: number, offset: number): number[] => {
    const store = store4(offset)
    const plus = (base: number): number[] => put(value, code(get(value), at(base), load4(offset), add4))
    const activation = code(get(value), get(value), float4(leak), times4, larger4)
    const both = code(plus(added), plus(output))
    const stored = code(at(output), get(value), store)
    const activatedToo = code(at(activated), activation, store)
    const endings: Record<Ending, number[]> = {
      plain: stored,
      activated: code(at(output), activation, store),
      residual: code(plus(added), stored, activatedToo),
      summed: code(both, stored),
      mean: code(both, put(value, code(get(value), float4(1 / 3), times4)), activatedToo),
    }
    return endings[ending]
  }
  const row = (nth: number): number[] => vectors.flatMap((vector) => end(sum(nth, vector), vector * vectorBytes))
  return code(put(to, get(place)), ...range(rows).map((nth) => code(row(nth), advance(to, get(outputStride)))))
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** Sums over channels and taps, in this memory; one function for each shape. */
export const openConvolutions = (memory: WasmMemory, shapes: readonly ConvolutionShape[]): ((shape: ConvolutionShape) => Convolution) => {
  const distinct = [...new Map(shapes.map((shape) => [nameOf(shape), shape])).values()]
  const { exports } = new WebAssembly.Instance(wasmModule(distinct.map(convolution)), { memory: { floats: memory } })
  return (shape) => exports[nameOf(shape)] as Convolution
}

/** One convolution's numbers, in the order in which they are read: of each block of rows what it begins with, then channel by channel its taps, each four times. */
export const packWeights = (
  { rows, taps }: Pick<ConvolutionShape, 'rows' | 'taps'>,
  channels: { input: number; output: number },
  weightOf: (output: number, input: number, tap: number) => number,
  biasOf: (output: number) => number,
): Float32Array => {
  const packed = new Float32Array(4 * channels.output * (1 + channels.input * taps))
  let at = 0
  const put = (value: number): void => void packed.fill(value, at, (at += 4))
  for (let block = 0; block < channels.output; block += rows) {
    for (let row = 0; row < rows; row++) put(biasOf(block + row))
    for (let channel = 0; channel < channels.input; channel++)
      for (let tap = 0; tap < taps; tap++) for (let row = 0; row < rows; row++) put(weightOf(block + row, channel, tap))
  }
  return packed
}
