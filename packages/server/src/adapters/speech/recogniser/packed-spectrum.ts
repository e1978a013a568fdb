/** Samples that are looked at together: 25 ms at 16 kHz. 400 = 2·2·2·2·25. */
export const spectrumSize = 400
export const spectrumBins = spectrumSize / 2 + 1
const leafSize = 25

const cosine = Float64Array.from({ length: spectrumSize }, (_, i) => Math.cos((2 * Math.PI * i) / spectrumSize))
const minusSine = Float64Array.from({ length: spectrumSize }, (_, i) => -Math.sin((2 * Math.PI * i) / spectrumSize))

/** Power spectra of real frames, two at a time: one is the real part and the other the imaginary part of a single complex transform. */
export class PackedSpectrum {
  /** To be filled by the caller before `transform`. */
  readonly first = new Float64Array(spectrumSize)
  readonly second = new Float64Array(spectrumSize)
  readonly #real = new Float64Array(spectrumSize)
  readonly #imaginary = new Float64Array(spectrumSize)

  transform(): void {
    this.#split(0, 1, 0, spectrumSize)
  }

  /** What belongs to the first frame is the even part of the transform, to the second the odd part. */
  power(which: 'first' | 'second', into: Float64Array): void {
    const re = this.#real
    const im = this.#imaginary
    for (let k = 0; k < spectrumBins; k++) {
      const mirror = k === 0 ? 0 : spectrumSize - k
      const a = which === 'first' ? re[k]! + re[mirror]! : im[k]! + im[mirror]!
      const b = which === 'first' ? im[k]! - im[mirror]! : re[mirror]! - re[k]!
      into[k] = (a * a + b * b) / 4
    }
  }

  /** Samples `from`, `from + step` … into `size` places from `at` on: by halves, as long as it can be halved. */
  #split(from: number, step: number, at: number, size: number): void {
    if (size === leafSize) return this.#leaf(from, step, at)
    const half = size / 2
    this.#split(from, step * 2, at, half)
    this.#split(from + step, step * 2, at + half, half)
    const re = this.#real
    const im = this.#imaginary
    const turn = spectrumSize / size
    for (let k = 0; k < half; k++) {
      const c = cosine[k * turn]!
      const s = minusSine[k * turn]!
      const low = at + k
      const high = low + half
      const x = re[high]! * c - im[high]! * s
      const y = re[high]! * s + im[high]! * c
      re[high] = re[low]! - x
      im[high] = im[low]! - y
      re[low]! += x
      im[low]! += y
    }
  }

  #leaf(from: number, step: number, at: number): void {
    const turn = spectrumSize / leafSize
    for (let k = 0; k < leafSize; k++) {
      let x = 0
      let y = 0
      let angle = 0
      for (let j = 0; j < leafSize; j++) {
        const c = cosine[angle * turn]!
        const s = minusSine[angle * turn]!
        const a = this.first[from + j * step]!
        const b = this.second[from + j * step]!
        x += a * c - b * s
        y += a * s + b * c
        angle += k
        if (angle >= leafSize) angle -= leafSize
      }
      this.#real[at + k] = x
      this.#imaginary[at + k] = y
    }
  }
}
