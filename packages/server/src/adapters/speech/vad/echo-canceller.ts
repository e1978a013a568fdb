import { RealFft } from '../real-fft.ts'
import { openEchoKernels } from './echo-kernels.ts'

/** Samples at a time. */
export const echoBlock = 128
/** How late an echo may come, in blocks: 288 ms, for two jitter buffers, the network both ways and the room of the phone. */
export const echoBlocks = 18
const fft = new RealFft(2 * echoBlock)
const { bins } = fft
/** What may come back at first, of all blocks together: an eighth of the energy. */
const firstUncertainty = 0.008
const noiseSmoothing = 0.8
const minNoise = 1e-7
/** Half of each transformed block is only there for the overlap. */
const overlap = 0.5
/** How many partitions of the filter are constrained in each block; all of them would cost three times as much for little. */
const constrainedPerBlock = 2

/** The cancellers of a thread work one after the other, in the same memory. */
const kernels = openEchoKernels({ parts: echoBlocks, bins, steadiness: 0.998, overlap })
const { stride, kept, sentReal, sentImaginary, pathReal, pathImaginary, uncertainty, real, imaginary, spread, share } = kernels
const time = new Float32Array(2 * echoBlock)
/** Where what is in that memory belongs. */
let present: Float32Array | undefined

/**
 * Takes out of a sound the echo of another one, whatever its delay up to 288 ms. A long filter in the frequency domain, in parts of one block,
 * each of whose coefficients is learned by a Kalman filter: it knows how uncertain it is, learns much while the echo is all there is, and
 * little while the caller speaks. So neither double talk nor the delay of the echo has to be found out first.
 */
export class EchoCanceller {
  /** Energy of the echo that is probably left in the last block. */
  residual = 0
  /** While another one is present: spectra of what was sent, a ring of blocks; the way to the phone and back; how uncertain that is. */
  readonly #kept = new Float32Array(kept.length)
  #newest = 0
  readonly #lastSent = new Float32Array(2 * echoBlock)
  #constrained = 0
  /** Spectrum of what is no echo. */
  readonly #noise = new Float32Array(bins)

  constructor() {
    this.relearn()
  }

  /** `clean` becomes `heard` without the echo of all that was sent until now. One block of each, from -1 to 1. */
  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void {
    this.#enter()
    this.#remember(sent)
    this.#predict()
    for (let i = 0; i < echoBlock; i++) clean[i] = heard[i]! - time[echoBlock + i]!
    this.#compare(clean)
    for (let part = 0; part < echoBlocks; part++) kernels.learn(this.#sentAt(part), part)
    for (let i = 0; i < constrainedPerBlock; i++) this.#constrain()
  }

  /** The way has changed: what was learned is wrong. */
  relearn(): void {
    this.#enter()
    pathReal.fill(0)
    pathImaginary.fill(0)
    uncertainty.fill(firstUncertainty)
  }

  /** Nothing was sent for longer than an echo takes. */
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

  /** Where the spectrum of what was sent that many blocks ago lies. */
  #sentAt(blocksAgo: number): number {
    return (this.#newest + blocksAgo) % echoBlocks
  }

  /** The echo, into the second half of `time`; how far from it the real one may be, to `spread`. */
  #predict(): void {
    real.fill(0)
    imaginary.fill(0)
    spread.fill(0)
    for (let part = 0; part < echoBlocks; part++) kernels.predict(this.#sentAt(part), part)
    fft.inverse(real, imaginary, time)
  }

  /** The spectrum of what is left over goes to `real` and `imaginary`, how much each bin of it teaches to `share`. */
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

  /** A part is as long as a block; learning by whole spectra makes it twice as long. */
  #constrain(): void {
    this.#constrained = (this.#constrained + 1) % echoBlocks
    const at = this.#constrained * stride
    fft.inverse(pathReal, pathImaginary, time, at)
    time.fill(0, echoBlock)
    fft.forward(time, pathReal, pathImaginary, at)
  }
}
