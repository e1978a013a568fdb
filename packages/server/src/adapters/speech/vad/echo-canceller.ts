import { RealFft } from '../real-fft.ts'
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
  type Code,
  pagesFor,
  WebAssembly,
} from '../simd/wasm.ts'

/** Memory layout of a canceller. */
interface EchoShape {
  parts: number
  bins: number
  /** Share of the echo path that stays the same from one block to the next. */
  steadiness: number
  /** Weight of an expected error. */
  overlap: number
}

/** Both functions take the index of a part in the sent sound and in the echo path. */
interface EchoKernels {
  /** Bins of a part, plus padding that stays 0. */
  stride: number
  /** State of one canceller: everything up to the uncertainty. */
  kept: Float32Array
  sentReal: Float32Array
  sentImaginary: Float32Array
  pathReal: Float32Array
  pathImaginary: Float32Array
  uncertainty: Float32Array
  /** A spectrum, an expected error, and the learning rate of each bin. */
  real: Float32Array
  imaginary: Float32Array
  spread: Float32Array
  share: Float32Array
  /** Adds the echo of a part to the spectrum, and its uncertainty to `spread`. */
  predict(sent: number, path: number): void
  /** Updates a part from the spectrum of the remainder. */
  learn(sent: number, path: number): void
}

const vectorBytes = 16
/** Parameters: address of the part, in bytes. Locals: position in a spectrum, bins left; then vectors. */
const [sent, path, bin, left] = [0, 1, 2, 3]
const [a, b, re, im, before, step, power] = [4, 5, 6, 7, 8, 9, 10]
const locals = { parameters: 2, integers: 2, vectors: 7 }

/** Start addresses, in bytes. */
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

/** Samples per block. */
export const echoBlock = 128
/** Maximum delay of an echo, in blocks: 288 ms, for two jitter buffers, the network both ways and the room of the phone. */
export const echoBlocks = 18
const fft = new RealFft(2 * echoBlock)
const { bins } = fft
/** Initial uncertainty: all blocks together may return an eighth of the energy. */
const firstUncertainty = 0.008
const noiseSmoothing = 0.8
const minNoise = 1e-7
/** Half of each transformed block is overlap. */
const overlap = 0.5
/** Partitions of the filter constrained per block; all of them would cost three times as much for little. */
const constrainedPerBlock = 2

/** The cancellers of a thread run one after the other in the same memory. */
const kernels = openEchoKernels({ parts: echoBlocks, bins, steadiness: 0.998, overlap })
const { stride, kept, sentReal, sentImaginary, pathReal, pathImaginary, uncertainty, real, imaginary, spread, share } = kernels
const time = new Float32Array(2 * echoBlock)
/** Owner of the current content of that memory. */
let present: Float32Array | undefined

/**
 * Removes the echo of another sound at any delay up to 288 ms. A partitioned filter in the frequency domain with blocks as partitions; a
 * Kalman filter learns each coefficient: it knows its uncertainty, learns much while there is only echo, and little while the caller
 * speaks. So neither double talk nor the delay of the echo has to be detected first.
 */
export class EchoCanceller {
  /** Energy of the echo that probably remains in the last block. */
  residual = 0
  /** State while another canceller uses the memory: spectra of the sent sound, a ring of blocks; the echo path; its uncertainty. */
  readonly #kept = new Float32Array(kept.length)
  #newest = 0
  readonly #lastSent = new Float32Array(2 * echoBlock)
  #constrained = 0
  /** Spectrum of everything except echo. */
  readonly #noise = new Float32Array(bins)

  constructor() {
    this.relearn()
  }

  /** Writes `heard` without the echo of all sound sent so far to `clean`. One block of each, from -1 to 1. */
  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void {
    this.#enter()
    this.#remember(sent)
    this.#predict()
    for (let i = 0; i < echoBlock; i++) clean[i] = heard[i]! - time[echoBlock + i]!
    this.#compare(clean)
    for (let part = 0; part < echoBlocks; part++) kernels.learn(this.#sentAt(part), part)
    for (let i = 0; i < constrainedPerBlock; i++) this.#constrain()
  }

  /** The echo path has changed: the learned filter is wrong. */
  relearn(): void {
    this.#enter()
    pathReal.fill(0)
    pathImaginary.fill(0)
    uncertainty.fill(firstUncertainty)
  }

  /** No sound was sent for longer than an echo takes. */
  rest(): void {
    this.#enter()
    sentReal.fill(0)
    sentImaginary.fill(0)
    this.#lastSent.fill(0)
    this.residual = 0
  }

  #enter(): void {
    if (present === this.#kept) return
    present?.set(kept)
    kept.set(this.#kept)
    present = this.#kept
  }

  #remember(sent: Float32Array): void {
    this.#lastSent.copyWithin(0, echoBlock)
    this.#lastSent.set(sent, echoBlock)
    this.#newest = (this.#newest + echoBlocks - 1) % echoBlocks
    fft.forward(this.#lastSent, sentReal, sentImaginary, this.#newest * stride)
  }

  /** Position of the spectrum sent that many blocks ago. */
  #sentAt(blocksAgo: number): number {
    return (this.#newest + blocksAgo) % echoBlocks
  }

  /** Writes the echo to the second half of `time`, and the expected error to `spread`. */
  #predict(): void {
    real.fill(0)
    imaginary.fill(0)
    spread.fill(0)
    for (let part = 0; part < echoBlocks; part++) kernels.predict(this.#sentAt(part), part)
    fft.inverse(real, imaginary, time)
  }

  /** Writes the spectrum of the remainder to `real` and `imaginary`, and the learning rate of each bin to `share`. */
  #compare(clean: Float32Array): void {
    time.fill(0, 0, echoBlock)
    time.set(clean, echoBlock)
    fft.forward(time, real, imaginary)
    let residual = 0
    for (let k = 0; k < bins; k++) {
      const power = real[k]! * real[k]! + imaginary[k]! * imaginary[k]!
      this.#noise[k] = noiseSmoothing * this.#noise[k]! + (1 - noiseSmoothing) * power
      const expected = overlap * spread[k]!
      residual += expected
      share[k] = 1 / (expected + this.#noise[k]! + minNoise)
    }
    this.residual = residual / echoBlock
  }

  /** A partition is as long as a block; learning by whole spectra makes it twice as long. */
  #constrain(): void {
    this.#constrained = (this.#constrained + 1) % echoBlocks
    const at = this.#constrained * stride
    fft.inverse(pathReal, pathImaginary, time, at)
    time.fill(0, echoBlock)
    fft.forward(time, pathReal, pathImaginary, at)
  }
}
