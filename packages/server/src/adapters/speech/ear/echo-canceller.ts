import { RealFft } from '../real-fft.ts'

/** Samples at a time. */
export const echoBlock = 128
/** How late an echo may come, in blocks: 288 ms, for two jitter buffers, the network both ways and the room of the phone. */
export const echoBlocks = 18
const fft = new RealFft(2 * echoBlock)
const bins = fft.bins
const coefficients = echoBlocks * bins
/** How much of the way to the phone and back stays as it is from one block to the next. */
const steadiness = 0.998
const steadinessSquared = steadiness * steadiness
/** What may come back at first, of all blocks together: an eighth of the energy. */
const firstUncertainty = 0.008
const noiseSmoothing = 0.8
const leastNoise = 1e-7
/** How many partitions of the filter are constrained in each block; all of them would cost three times as much for little. */
const constrainedPerBlock = 2

/** Shared scratch memory: the cancellers of a thread work one after the other. */
const real = new Float64Array(bins)
const imaginary = new Float64Array(bins)
const spread = new Float64Array(bins)
const time = new Float64Array(2 * echoBlock)

/**
 * Takes out of a sound the echo of another one, whatever its delay up to 288 ms. A long filter in the frequency domain, in parts of one block,
 * each of whose coefficients is learned by a Kalman filter: it knows how uncertain it is, learns much while the echo is all there is, and
 * little while the caller speaks. So neither double talk nor the delay of the echo has to be found out first.
 */
export class EchoCanceller {
  /** Energy of the echo that is probably left in the last block. */
  residual = 0
  /** Spectra of what was sent, a ring of blocks. */
  readonly #sentReal = new Float32Array(coefficients)
  readonly #sentImaginary = new Float32Array(coefficients)
  #newest = 0
  readonly #lastSent = new Float32Array(2 * echoBlock)
  /** The way to the phone and back, the first part of it first. */
  readonly #pathReal = new Float32Array(coefficients)
  readonly #pathImaginary = new Float32Array(coefficients)
  readonly #uncertainty = new Float32Array(coefficients).fill(firstUncertainty)
  #constrained = 0
  /** Spectrum of what is no echo. */
  readonly #noise = new Float32Array(bins)

  /** `clean` becomes `heard` without the echo of all that was sent until now. One block of each, from -1 to 1. */
  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void {
    this.#remember(sent)
    this.#predict()
    for (let i = 0; i < echoBlock; i++) clean[i] = heard[i]! - time[echoBlock + i]!
    this.#compare(clean)
    for (let part = 0; part < echoBlocks; part++) this.#learn(part)
    for (let i = 0; i < constrainedPerBlock; i++) this.#constrain()
  }

  /** The way has changed: what was learned is wrong. */
  relearn(): void {
    this.#pathReal.fill(0)
    this.#pathImaginary.fill(0)
    this.#uncertainty.fill(firstUncertainty)
  }

  /** Nothing was sent for longer than an echo takes. */
  rest(): void {
    this.#sentReal.fill(0)
    this.#sentImaginary.fill(0)
    this.#lastSent.fill(0)
    this.residual = 0
  }

  #remember(sent: Float32Array): void {
    this.#lastSent.copyWithin(0, echoBlock)
    this.#lastSent.set(sent, echoBlock)
    this.#newest = (this.#newest + echoBlocks - 1) % echoBlocks
    fft.forward(this.#lastSent, this.#sentReal, this.#sentImaginary, this.#newest * bins)
  }

  /** Where the spectrum of what was sent that many blocks ago lies. */
  #sentAt(blocksAgo: number): number {
    return ((this.#newest + blocksAgo) % echoBlocks) * bins
  }

  /** The echo, into the second half of `time`. */
  #predict(): void {
    const [sentReal, sentImaginary, pathReal, pathImaginary] = [this.#sentReal, this.#sentImaginary, this.#pathReal, this.#pathImaginary]
    real.fill(0)
    imaginary.fill(0)
    for (let part = 0; part < echoBlocks; part++) {
      let s = this.#sentAt(part)
      let w = part * bins
      for (let k = 0; k < bins; k++, s++, w++) {
        real[k] = real[k]! + sentReal[s]! * pathReal[w]! - sentImaginary[s]! * pathImaginary[w]!
        imaginary[k] = imaginary[k]! + sentReal[s]! * pathImaginary[w]! + sentImaginary[s]! * pathReal[w]!
      }
    }
    fft.inverse(real, imaginary, time)
  }

  /** The spectrum of what is left over goes to `real` and `imaginary`, how it has to be divided up between echo and others to `spread`. */
  #compare(clean: Float32Array): void {
    time.fill(0, 0, echoBlock)
    time.set(clean, echoBlock)
    fft.forward(time, real, imaginary)
    this.#expectError()
    let residual = 0
    for (let k = 0; k < bins; k++) {
      const power = real[k]! * real[k]! + imaginary[k]! * imaginary[k]!
      this.#noise[k] = noiseSmoothing * this.#noise[k]! + (1 - noiseSmoothing) * power
      residual += spread[k]!
      spread[k] = spread[k]! + this.#noise[k]! + leastNoise
    }
    this.residual = residual / echoBlock
  }

  /** Half of it, because half of each transformed block is only there for the overlap. */
  #expectError(): void {
    const [sentReal, sentImaginary, uncertainty] = [this.#sentReal, this.#sentImaginary, this.#uncertainty]
    spread.fill(0)
    for (let part = 0; part < echoBlocks; part++) {
      let s = this.#sentAt(part)
      let w = part * bins
      for (let k = 0; k < bins; k++, s++, w++) {
        const power = sentReal[s]! * sentReal[s]! + sentImaginary[s]! * sentImaginary[s]!
        spread[k] = spread[k]! + 0.5 * power * uncertainty[w]!
      }
    }
  }

  #learn(part: number): void {
    const [sentReal, sentImaginary, uncertainty] = [this.#sentReal, this.#sentImaginary, this.#uncertainty]
    const [pathReal, pathImaginary] = [this.#pathReal, this.#pathImaginary]
    let s = this.#sentAt(part)
    let w = part * bins
    for (let k = 0; k < bins; k++, s++, w++) {
      const a = sentReal[s]!
      const b = sentImaginary[s]!
      const before = uncertainty[w]!
      const step = before / spread[k]!
      const re = pathReal[w]! + step * (a * real[k]! + b * imaginary[k]!)
      const im = pathImaginary[w]! + step * (a * imaginary[k]! - b * real[k]!)
      pathReal[w] = steadiness * re
      pathImaginary[w] = steadiness * im
      const after = (1 - 0.5 * step * (a * a + b * b)) * before
      uncertainty[w] = steadinessSquared * after + (1 - steadinessSquared) * (re * re + im * im)
    }
  }

  /** A part is as long as a block; learning by whole spectra makes it twice as long. */
  #constrain(): void {
    this.#constrained = (this.#constrained + 1) % echoBlocks
    const at = this.#constrained * bins
    fft.inverse(this.#pathReal, this.#pathImaginary, time, at)
    time.fill(0, echoBlock)
    fft.forward(time, this.#pathReal, this.#pathImaginary, at)
  }
}
