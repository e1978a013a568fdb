/** Scale factors: a logarithm's fraction as a power of two (G.722 table 13, ILB). */
const antilogarithm = Int32Array.of(
  2048,
  2093,
  2139,
  2186,
  2233,
  2282,
  2332,
  2383,
  2435,
  2489,
  2543,
  2599,
  2656,
  2714,
  2774,
  2834,
  2896,
  2960,
  3025,
  3091,
  3158,
  3228,
  3298,
  3371,
  3444,
  3520,
  3597,
  3676,
  3756,
  3838,
  3922,
  4008,
)

export const saturate = (value: number): number => (value > 32767 ? 32767 : value < -32768 ? -32768 : value)

/**
 * The adaptive predictor of one half of the spectrum; encoder and decoder each run the same one, so that both predict the same.
 * Two poles and six zeros, 16 bit arithmetic, all names of the standard in brackets.
 */
export class Band {
  /** What the next sample is expected to be (S). */
  predicted = 0
  /** Step size of the quantiser (DET). */
  step: number
  #logStep = 0
  readonly #highestLogStep: number
  readonly #shift: number
  #zeroPart = 0
  /** Two poles (A), and the signals they are adapted by (P) and work on (R). */
  #pole1 = 0
  #pole2 = 0
  #partial1 = 0
  #partial2 = 0
  #restored1 = 0
  /** Six zeros (B) and the differences they work on (D), the latest first. */
  readonly #zeros = new Int32Array(6)
  readonly #differences = new Int32Array(6)

  constructor(firstStep: number, highestLogStep: number, shift: number) {
    this.step = firstStep
    this.#highestLogStep = highestLogStep
    this.#shift = shift
  }

  /** Takes the quantised difference, and by how much the step grows or shrinks for its size (blocks 3 and 4 of the standard). */
  adapt(difference: number, growth: number): void {
    this.#adaptStep(growth)
    const restored = saturate(this.predicted + difference)
    const partial = saturate(this.#zeroPart + difference)
    this.#adaptPoles(partial)
    this.#zeroPart = this.#adaptZeros(difference)
    const first = (this.#pole1 * saturate(2 * restored)) >> 15
    const second = (this.#pole2 * saturate(2 * this.#restored1)) >> 15
    this.#restored1 = restored
    this.predicted = saturate(saturate(first + second) + this.#zeroPart)
  }

  #adaptStep(growth: number): void {
    const grown = ((this.#logStep * 127) >> 7) + growth
    this.#logStep = grown < 0 ? 0 : grown > this.#highestLogStep ? this.#highestLogStep : grown
    const fraction = antilogarithm[(this.#logStep >> 6) & 31]!
    const down = this.#shift - (this.#logStep >> 11)
    this.step = (down < 0 ? fraction << -down : fraction >> down) << 2
  }

  #adaptPoles(partial: number): void {
    const sameAsLast = partial >> 15 === this.#partial1 >> 15
    const sameAsBefore = partial >> 15 === this.#partial2 >> 15
    const four = saturate(this.#pole1 << 2)
    const turned = sameAsLast ? Math.min(32767, -four) : four
    const wanted = (sameAsBefore ? 128 : -128) + (turned >> 7) + ((this.#pole2 * 32512) >> 15)
    const pole2 = wanted > 12288 ? 12288 : wanted < -12288 ? -12288 : wanted
    const limit = saturate(15360 - pole2)
    const pole1 = saturate((sameAsLast ? 192 : -192) + ((this.#pole1 * 32640) >> 15))
    this.#pole1 = pole1 > limit ? limit : pole1 < -limit ? -limit : pole1
    this.#pole2 = pole2
    this.#partial2 = this.#partial1
    this.#partial1 = partial
  }

  /** Moves the zeros, then gives their part of the next prediction. */
  #adaptZeros(difference: number): number {
    const zeros = this.#zeros
    const differences = this.#differences
    const sign = difference >> 15
    const gain = difference === 0 ? 0 : 128
    let sum = 0
    for (let i = 5; i >= 0; i--) {
      const zero = saturate((differences[i]! >> 15 === sign ? gain : -gain) + ((zeros[i]! * 32640) >> 15))
      const newer = i === 0 ? difference : differences[i - 1]!
      zeros[i] = zero
      differences[i] = newer
      sum += (zero * saturate(2 * newer)) >> 15
    }
    return saturate(sum)
  }
}
