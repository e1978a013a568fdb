/** Spectra of real sounds whose length is a power of two: a complex transform of half the length, every second sample being imaginary. */
export class RealFft {
  readonly size: number
  /** From 0 Hz to half the rate. */
  readonly bins: number
  readonly #half: number
  readonly #reversed: Uint16Array
  readonly #cos: Float64Array
  readonly #sin: Float64Array
  readonly #real: Float64Array
  readonly #imaginary: Float64Array

  constructor(size: number) {
    this.size = size
    this.bins = size / 2 + 1
    this.#half = size / 2
    this.#reversed = reversedBits(this.#half)
    this.#cos = Float64Array.from({ length: this.bins }, (_, i) => Math.cos((2 * Math.PI * i) / size))
    this.#sin = Float64Array.from({ length: this.bins }, (_, i) => Math.sin((2 * Math.PI * i) / size))
    this.#real = new Float64Array(this.#half)
    this.#imaginary = new Float64Array(this.#half)
  }

  /** `real` and `imaginary` are filled from `at` on. */
  forward(samples: ArrayLike<number>, real: Float32Array | Float64Array, imaginary: Float32Array | Float64Array, at = 0): void {
    const half = this.#half
    const [re, im] = [this.#real, this.#imaginary]
    for (let i = 0; i < half; i++) {
      const place = this.#reversed[i]!
      re[place] = samples[2 * i]!
      im[place] = samples[2 * i + 1]!
    }
    this.#transform()
    for (let k = 0; k <= half; k++) {
      const a = k === half ? 0 : k
      const b = k === 0 ? 0 : half - k
      const evenRe = (re[a]! + re[b]!) / 2
      const evenIm = (im[a]! - im[b]!) / 2
      const oddRe = (im[a]! + im[b]!) / 2
      const oddIm = (re[b]! - re[a]!) / 2
      real[at + k] = evenRe + this.#cos[k]! * oddRe + this.#sin[k]! * oddIm
      imaginary[at + k] = evenIm + this.#cos[k]! * oddIm - this.#sin[k]! * oddRe
    }
  }

  /** The sound that has the spectrum which lies from `at` on. */
  inverse(real: Float32Array | Float64Array, imaginary: Float32Array | Float64Array, into: Float32Array | Float64Array, at = 0): void {
    const half = this.#half
    const [re, im] = [this.#real, this.#imaginary]
    for (let k = 0; k < half; k++) {
      const [a, b] = [at + k, at + half - k]
      const evenRe = real[a]! + real[b]!
      const evenIm = imaginary[a]! - imaginary[b]!
      const differenceRe = real[a]! - real[b]!
      const differenceIm = imaginary[a]! + imaginary[b]!
      const oddRe = differenceRe * this.#cos[k]! - differenceIm * this.#sin[k]!
      const oddIm = differenceRe * this.#sin[k]! + differenceIm * this.#cos[k]!
      const place = this.#reversed[k]!
      // Conjugated, so that the same transform goes the other way.
      re[place] = evenRe - oddIm
      im[place] = -(evenIm + oddRe)
    }
    this.#transform()
    const scale = 1 / this.size
    for (let i = 0; i < half; i++) {
      into[2 * i] = re[i]! * scale
      into[2 * i + 1] = -im[i]! * scale
    }
  }

  #transform(): void {
    const half = this.#half
    const [re, im] = [this.#real, this.#imaginary]
    for (let width = 1; width < half; width *= 2) {
      const step = half / width
      for (let j = 0; j < width; j++) {
        const c = this.#cos[j * step]!
        const s = this.#sin[j * step]!
        for (let a = j; a < half; a += 2 * width) {
          const b = a + width
          const turnedRe = re[b]! * c + im[b]! * s
          const turnedIm = im[b]! * c - re[b]! * s
          re[b] = re[a]! - turnedRe
          im[b] = im[a]! - turnedIm
          re[a] = re[a]! + turnedRe
          im[a] = im[a]! + turnedIm
        }
      }
    }
  }
}

const reversedBits = (count: number): Uint16Array => {
  const reversed = new Uint16Array(count)
  for (let i = 1; i < count; i++) reversed[i] = (reversed[i >> 1]! >> 1) | (i & 1 ? count >> 1 : 0)
  return reversed
}
