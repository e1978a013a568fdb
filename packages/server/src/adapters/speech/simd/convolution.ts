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
  type WasmFunction,
  WebAssembly,
  type WasmMemory,
} from './wasm.ts'

/** Treatment of a sum. `activated` is the sum, or a small part of it if it is negative (leaky ReLU). */
export type Ending =
  /** Stores the sum. */
  | 'plain'
  /** Stores only the activated sum. */
  | 'activated'
  /** Adds `added`; stores the sum and the activated sum. */
  | 'residual'
  /** Adds `added` and the current value of the output. */
  | 'summed'
  /** As `summed`, but stores the activated mean of the three. */
  | 'mean'

export interface ConvolutionShape {
  /** Channels computed together; their number must be a multiple of this. */
  rows: 1 | 2 | 4
  taps: number
  dilation: number
  ending: Ending
  /** Factor for negative values in the activation. */
  leak: number
}

/**
 * Addresses and strides are in bytes. A channel begins `stride` after the previous one, in input and output. `input` is the address of the
 * first tap of the first sample, `length` the number of output samples: some more are read and written.
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
/** Locals: position, read address, weights address, channels left, write address. */
const [place, from, weightsFrom, channelsLeft, to] = [10, 11, 12, 13, 14]
const integers = 5
const firstVector = parameters + integers

const vectorBytes = 16
/** Vectors of each row computed together: as many as fit into the registers with the inputs. */
const vectorsFor = ({ rows }: Pick<ConvolutionShape, 'rows'>): number =>
  process.arch === 'arm64' ? (rows === 4 ? 4 : 8) : rows === 4 ? 2 : 4

/** Maximum samples that are read and written behind the last one. */
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
    // The weights of the next rows follow those of these rows.
    put(weights, get(weightsFrom)),
    ...[output, added, activated].map((local) => advance(local, code(get(outputStride), integer(rows), times))),
  )
  return { name: nameOf(shape), parameters, integers, vectors: (rows + 1) * vectors.length + 1, body: loop(block, countDown(rowBlocks)) }
}

/** Row by row: each begins a stride after the previous one. */
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

/** Opens kernels that sum over channels and taps in this memory; one function per shape. */
export const openConvolutions = (memory: WasmMemory, shapes: readonly ConvolutionShape[]): ((shape: ConvolutionShape) => Convolution) => {
  const distinct = [...new Map(shapes.map((shape) => [nameOf(shape), shape])).values()]
  const { exports } = new WebAssembly.Instance(wasmModule(distinct.map(convolution)), { memory: { floats: memory } })
  return (shape) => exports[nameOf(shape)] as Convolution
}

/** Weights of one convolution in reading order: for each block of rows the biases, then channel by channel the taps, each four times. */
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
