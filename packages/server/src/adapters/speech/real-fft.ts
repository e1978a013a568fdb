/**
 * Spectra of real sounds of an even length: a complex transform of half the length, with every second sample as the imaginary part. The
 * length is halved while it is even; the odd rest is transformed by definition, so powers of two are the fastest.
 */
export class RealFft {
  readonly size: number
  /** From 0 Hz to half the rate. */
  readonly bins: number
  readonly #half: number
  /** The odd factor: 1 for a power of two. */
  readonly #leaf: number
  /** Position of each sample before the transform. */
  readonly #order: Uint16Array
  readonly #cos: Float64Array
  readonly #sin: Float64Array
  readonly #real: Float64Array
  readonly #imaginary: Float64Array
  readonly #leafCos: Float64Array
  readonly #leafSin: Float64Array
  readonly #leafReal: Float64Array
  readonly #leafImaginary: Float64Array

  constructor(size: number) {
    this.size = size
    this.bins = size / 2 + 1
    this.#half = size / 2
    this.#leaf = oddPartOf(this.#half)
    this.#order = orderOf(this.#half, this.#leaf)
    this.#cos = Float64Array.from({ length: this.bins }, (_, i) => Math.cos((2 * Math.PI * i) / size))
    this.#sin = Float64Array.from({ length: this.bins }, (_, i) => Math.sin((2 * Math.PI * i) / size))
    this.#real = new Float64Array(this.#half)
    this.#imaginary = new Float64Array(this.#half)
    this.#leafCos = Float64Array.from({ length: this.#leaf }, (_, i) => Math.cos((2 * Math.PI * i) / this.#leaf))
    this.#leafSin = Float64Array.from({ length: this.#leaf }, (_, i) => Math.sin((2 * Math.PI * i) / this.#leaf))
    this.#leafReal = new Float64Array(this.#leaf)
    this.#leafImaginary = new Float64Array(this.#leaf)
  }

  /** Fills `real` and `imaginary` from `at` on. */
  forward(samples: ArrayLike<number>, real: Float32Array | Float64Array, imaginary: Float32Array | Float64Array, at = 0): void {
    const half = this.#half
    const [re, im] = [this.#real, this.#imaginary]
    for (let i = 0; i < half; i++) {
      const place = this.#order[i]!
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

  /** Inverse transform of the spectrum from `at` on. */
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
      const place = this.#order[k]!
      // Conjugated, so that the same transform runs in the other direction.
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
    if (this.#leaf > 1) this.#transformLeaves()
    for (let width = this.#leaf; width < half; width *= 2) {
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

  /** Two bins at a time: a bin at distance k from the end rotates opposite to the bin at distance k from the start. */
  #transformLeaves(): void {
    const leaf = this.#leaf
    const [re, im, leafRe, leafIm] = [this.#real, this.#imaginary, this.#leafReal, this.#leafImaginary]
    for (let at = 0; at < this.#half; at += leaf) {
      let [sumRe, sumIm] = [0, 0]
      for (let j = at; j < at + leaf; j++) {
        sumRe += re[j]!
        sumIm += im[j]!
      }
      leafRe[0] = sumRe
      leafIm[0] = sumIm
      for (let k = 1; 2 * k < leaf; k++) this.#transformBins(at, k)
      re.set(leafRe, at)
      im.set(leafIm, at)
    }
  }

  #transformBins(at: number, k: number): void {
    const leaf = this.#leaf
    const [re, im, cos, sin] = [this.#real, this.#imaginary, this.#leafCos, this.#leafSin]
    let [reCos, reSin, imCos, imSin, turn] = [0, 0, 0, 0, 0]
    for (let j = at; j < at + leaf; j++) {
      reCos += re[j]! * cos[turn]!
      reSin += re[j]! * sin[turn]!
      imCos += im[j]! * cos[turn]!
      imSin += im[j]! * sin[turn]!
      turn += k
      if (turn >= leaf) turn -= leaf
    }
    this.#leafReal[k] = reCos + imSin
    this.#leafImaginary[k] = imCos - reSin
    this.#leafReal[leaf - k] = reCos - imSin
    this.#leafImaginary[leaf - k] = imCos + reSin
  }
}

const oddPartOf = (count: number): number => (count % 2 === 0 ? oddPartOf(count / 2) : count)

/** Reverses the bits of the even part; the samples of a leaf keep their order. */
const orderOf = (count: number, leaf: number): Uint16Array => {
  const leaves = count / leaf
  const reversed = new Uint16Array(leaves)
  for (let i = 1; i < leaves; i++) reversed[i] = (reversed[i >> 1]! >> 1) | (i & 1 ? leaves >> 1 : 0)
  return Uint16Array.from({ length: count }, (_, i) => reversed[i % leaves]! * leaf + Math.floor(i / leaves))
}
