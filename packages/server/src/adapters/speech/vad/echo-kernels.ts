import {
  advance,
  code,
  countDown,
  float4,
  get,
  integer,
  load4,
  loop,
  minus4,
  put,
  store4,
  times4,
  timesAdd4,
  wasmModule,
} from '../simd/wasm.ts'
import type { Code } from '../simd/wasm.ts'
import { pagesFor, WebAssembly } from '../simd/web-assembly.ts'

/** How the numbers of a canceller lie in the memory. */
export interface EchoShape {
  parts: number
  bins: number
  /** How much of the way stays as it is from one block to the next. */
  steadiness: number
  /** What counts of an expected error. */
  overlap: number
}

/** Both are told where a part lies in what was sent, and where in the way: counted in parts. */
export interface EchoKernels {
  /** Bins of a part, and some that stay 0. */
  stride: number
  /** What one canceller knows: everything up to the uncertainty. */
  kept: Float32Array
  sentReal: Float32Array
  sentImaginary: Float32Array
  pathReal: Float32Array
  pathImaginary: Float32Array
  uncertainty: Float32Array
  /** A spectrum, an error that is expected, and what is to be learned of each bin. */
  real: Float32Array
  imaginary: Float32Array
  spread: Float32Array
  share: Float32Array
  /** Adds the echo of a part to the spectrum, and what it is uncertain of to `spread`. */
  predict(sent: number, path: number): void
  /** A part learns from the spectrum of what is left over. */
  learn(sent: number, path: number): void
}

const vectorBytes = 16
/** Parameters: where the part lies, in bytes. Locals: where in a spectrum, what is left; then vectors. */
const [sent, path, bin, left] = [0, 1, 2, 3]
const [a, b, re, im, before, step, power] = [4, 5, 6, 7, 8, 9, 10]
const locals = { parameters: 2, integers: 2, vectors: 7 }

/** Where things begin, in bytes. */
type Layout = ReturnType<typeof layoutOf>

const layoutOf = (large: number, stride: number) => {
  const at = (nth: number): number => 4 * (nth <= 5 ? nth * large : 5 * large + (nth - 5) * stride)
  return {
    sentReal: at(0),
    sentImaginary: at(1),
    pathReal: at(2),
    pathImaginary: at(3),
    uncertainty: at(4),
    real: at(5),
    imaginary: at(6),
    spread: at(7),
    share: at(8),
    end: at(9),
  }
}

const sum = (local: number, product: Code): number[] => put(local, code(product, get(local), timesAdd4))
const store = (place: number, base: number, value: Code): number[] => code(get(place), value, store4(base))
const read = (place: number, base: number): number[] => code(get(place), load4(base))

const eachBin = (body: Code, vectors: number): number[] => {
  const next = [sent, path, bin].map((local) => advance(local, integer(vectorBytes)))
  return code(put(left, integer(vectors)), loop(code(body, ...next), countDown(left)))
}

const begin = ({ sentReal, sentImaginary }: Layout): number[] =>
  code(
    put(a, read(sent, sentReal)),
    put(b, read(sent, sentImaginary)),
    put(power, code(get(a), get(a), times4)),
    sum(power, code(get(b), get(b))),
  )

const predict = (layout: Layout): number[] => {
  const { pathReal, pathImaginary, uncertainty, real, imaginary, spread } = layout
  return code(
    begin(layout),
    put(re, read(path, pathReal)),
    put(im, read(path, pathImaginary)),
    store(bin, real, code(get(a), get(re), read(bin, real), timesAdd4, get(b), get(im), times4, minus4)),
    store(bin, imaginary, code(get(a), get(im), get(b), get(re), read(bin, imaginary), timesAdd4, timesAdd4)),
    store(bin, spread, code(get(power), read(path, uncertainty), read(bin, spread), timesAdd4)),
  )
}

const learn = (layout: Layout, { steadiness, overlap }: EchoShape): number[] => {
  const { pathReal, pathImaginary, uncertainty, real, imaginary, share } = layout
  const steady = steadiness * steadiness
  const learned = (one: Code, base: number): number[] => code(get(step), one, read(path, base), timesAdd4)
  return code(
    begin(layout),
    put(before, read(path, uncertainty)),
    put(step, code(get(before), read(bin, share), times4)),
    put(re, learned(code(get(a), read(bin, real), get(b), read(bin, imaginary), times4, timesAdd4), pathReal)),
    put(im, learned(code(get(a), read(bin, imaginary), times4, get(b), read(bin, real), times4, minus4), pathImaginary)),
    store(path, pathReal, code(get(re), float4(steadiness), times4)),
    store(path, pathImaginary, code(get(im), float4(steadiness), times4)),
    put(power, code(float4(1), get(power), get(step), times4, float4(overlap), times4, minus4)),
    put(re, code(get(re), get(re), get(im), get(im), times4, timesAdd4)),
    put(before, code(get(power), get(before), times4, float4(steady), times4)),
    store(path, uncertainty, code(get(re), float4(1 - steady), get(before), timesAdd4)),
  )
}

export const openEchoKernels = (shape: EchoShape): EchoKernels => {
  const vectors = Math.ceil(shape.bins / 4)
  const stride = vectors * 4
  const large = shape.parts * stride
  const layout = layoutOf(large, stride)
  const memory = new WebAssembly.Memory({ initial: pagesFor(layout.end) })
  const module = wasmModule([
    { name: 'predict', ...locals, body: eachBin(predict(layout), vectors) },
    { name: 'learn', ...locals, body: eachBin(learn(layout, shape), vectors) },
  ])
  const { exports } = new WebAssembly.Instance(module, { memory: { floats: memory } })
  const run = (name: string): EchoKernels['learn'] => {
    const kernel = exports[name] as (sentAt: number, pathAt: number) => void
    return (sentPart, pathPart) => kernel(sentPart * stride * 4, pathPart * stride * 4)
  }
  const numbers = (address: number, length: number): Float32Array => new Float32Array(memory.buffer, address, length)
  return {
    stride,
    kept: numbers(0, 5 * large),
    sentReal: numbers(layout.sentReal, large),
    sentImaginary: numbers(layout.sentImaginary, large),
    pathReal: numbers(layout.pathReal, large),
    pathImaginary: numbers(layout.pathImaginary, large),
    uncertainty: numbers(layout.uncertainty, large),
    real: numbers(layout.real, stride),
    imaginary: numbers(layout.imaginary, stride),
    spread: numbers(layout.spread, stride),
    share: numbers(layout.share, stride),
    predict: run('predict'),
    learn: run('learn'),
  }
}
