import {
  advance,
  code,
  countDown,
  get,
  integer,
  larger4,
  load4,
  loadOne4,
  loop,
  put,
  store4,
  float4,
  timesAdd4,
  wasmModule,
  type WasmFunction,
  WebAssembly,
  type WasmMemory,
} from './wasm.ts'

export interface DenseShape {
  /** Rows of inputs computed together: their weights are read once. */
  rows: 1 | 2 | 4
  /** Negative results become 0. */
  rectified: boolean
}

/** Addresses and strides are in bytes. Each row gives `blocks` times `outputsAtOnce` numbers. */
export type Dense = (
  input: number,
  inputStride: number,
  inputs: number,
  weights: number,
  output: number,
  outputStride: number,
  blocks: number,
) => void

const [input, inputStride, inputs, weights, output, outputStride, blocks] = [0, 1, 2, 3, 4, 5, 6]
const parameters = 7
/** Locals: read address, inputs left, write address, row. */
const [from, left, to, row] = [7, 8, 9, 10]
const integers = 4
const firstVector = parameters + integers
const vectorBytes = 16

const vectorsFor = (rows: number): number => (rows === 1 ? 8 : 4)
export const concurrentOutputs = ({ rows }: DenseShape): number => vectorsFor(rows) * 4

const nameOf = (shape: DenseShape): string => JSON.stringify(shape)

/** Each row of outputs is a weighted sum of all inputs of its row. */
const dense = (shape: DenseShape): WasmFunction => {
  const rows = range(shape.rows)
  const vectors = range(vectorsFor(shape.rows))
  const sum = (nth: number, vector: number): number => firstVector + nth * vectors.length + vector
  const weight = (vector: number): number => sum(shape.rows, vector)
  const read = sum(shape.rows + 1, 0)
  const readWeights = vectors.map((vector) => put(weight(vector), code(get(weights), load4(vector * vectorBytes))))
  const nextWeights = advance(weights, integer(vectors.length * vectorBytes))
  const each = (instructions: (nth: number, vector: number) => number[]): number[] =>
    rows.flatMap((nth) => vectors.flatMap((vector) => instructions(nth, vector)))
  const oneInput = code(
    ...readWeights,
    put(row, get(from)),
    ...rows.map((nth) =>
      code(
        put(read, code(get(row), loadOne4(0))),
        ...vectors.map((vector) => put(sum(nth, vector), code(get(weight(vector)), get(read), get(sum(nth, vector)), timesAdd4))),
        ...(nth < shape.rows - 1 ? [advance(row, get(inputStride))] : []),
      ),
    ),
    nextWeights,
    advance(from, integer(4)),
  )
  const value = (local: number): number[] => (shape.rectified ? code(get(local), float4(0), larger4) : get(local))
  const block = code(
    ...readWeights,
    each((nth, vector) => put(sum(nth, vector), get(weight(vector)))),
    nextWeights,
    put(from, get(input)),
    put(left, get(inputs)),
    loop(oneInput, countDown(left)),
    put(to, get(output)),
    ...rows.map((nth) =>
      code(
        ...vectors.map((vector) => code(get(to), value(sum(nth, vector)), store4(vector * vectorBytes))),
        advance(to, get(outputStride)),
      ),
    ),
    advance(output, integer(vectors.length * vectorBytes)),
  )
  return { name: nameOf(shape), parameters, integers, vectors: (shape.rows + 1) * vectors.length + 1, body: loop(block, countDown(blocks)) }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** Kernels in this memory; one function per shape. */
export const openDense = (memory: WasmMemory, shapes: readonly DenseShape[]): ((shape: DenseShape) => Dense) => {
  const distinct = [...new Map(shapes.map((shape) => [nameOf(shape), shape])).values()]
  const { exports } = new WebAssembly.Instance(wasmModule(distinct.map(dense)), { memory: { floats: memory } })
  return (shape) => exports[nameOf(shape)] as Dense
}

/** Weights in reading order: for each block of outputs the biases, then the weights, input by input. Pads the last block. */
export const packDense = (
  shape: DenseShape,
  count: { inputs: number; outputs: number },
  weightOf: (output: number, input: number) => number,
  biasOf: (output: number) => number,
): Float32Array => {
  const concurrency = concurrentOutputs(shape)
  const packed: number[] = []
  for (let block = 0; block < count.outputs; block += concurrency) {
    const outputs = range(concurrency).map((nth) => block + nth)
    const filled = (of: (output: number) => number): number[] => outputs.map((one) => (one < count.outputs ? of(one) : 0))
    packed.push(...filled(biasOf))
    for (let nth = 0; nth < count.inputs; nth++) packed.push(...filled((one) => weightOf(one, nth)))
  }
  return Float32Array.from(packed)
}
