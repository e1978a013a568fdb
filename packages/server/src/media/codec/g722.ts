import type { Codec } from './codec.ts'

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

const saturate = (value: number): number => (value > 32767 ? 32767 : value < -32768 ? -32768 : value)

/**
 * Adaptive predictor of one half of the spectrum; encoder and decoder each run one, so that both predict the same. Two poles and six zeros,
 * 16 bit arithmetic; names of the standard in brackets.
 */
class Band {
  /** Prediction of the next sample (S). */
  predicted = 0
  /** Step size of the quantiser (DET). */
  step: number
  #logStep = 0
  readonly #highestLogStep: number
  readonly #shift: number
  #zeroPart = 0
  /** Two poles (A), their adaptation signals (P) and inputs (R). */
  #pole1 = 0
  #pole2 = 0
  #partial1 = 0
  #partial2 = 0
  #restored1 = 0
  /** Six zeros (B) and their inputs, the differences (D), the latest first. */
  readonly #zeros = new Int32Array(6)
  readonly #differences = new Int32Array(6)

  constructor(firstStep: number, highestLogStep: number, shift: number) {
    this.step = firstStep
    this.#highestLogStep = highestLogStep
    this.#shift = shift
  }

  /** Takes the quantised difference and the change of the step for its size (blocks 3 and 4 of the standard). */
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

  /** Adapts the zeros, then returns their part of the next prediction. */
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

/** Half of the symmetric filter that splits and joins the spectrum at 4 kHz (G.722 table 11). */
const splitter = Int32Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11)
const lineLength = 24

/** Lower band: decision levels of the 60-level quantiser (Q6), and its inverse with 6 and with 4 bits. */
const decisions = Int32Array.of(
  0,
  35,
  72,
  110,
  150,
  190,
  233,
  276,
  323,
  370,
  422,
  473,
  530,
  587,
  650,
  714,
  786,
  858,
  940,
  1023,
  1121,
  1219,
  1339,
  1458,
  1612,
  1765,
  1980,
  2195,
  2557,
  2919,
)
const restored6 = Int32Array.of(
  -136,
  -136,
  -136,
  -136,
  -24808,
  -21904,
  -19008,
  -16704,
  -14984,
  -13512,
  -12280,
  -11192,
  -10232,
  -9360,
  -8576,
  -7856,
  -7192,
  -6576,
  -6000,
  -5456,
  -4944,
  -4464,
  -4008,
  -3576,
  -3168,
  -2776,
  -2400,
  -2032,
  -1688,
  -1360,
  -1040,
  -728,
  24808,
  21904,
  19008,
  16704,
  14984,
  13512,
  12280,
  11192,
  10232,
  9360,
  8576,
  7856,
  7192,
  6576,
  6000,
  5456,
  4944,
  4464,
  4008,
  3576,
  3168,
  2776,
  2400,
  2032,
  1688,
  1360,
  1040,
  728,
  432,
  136,
  -432,
  -136,
)
const restored4 = Int32Array.of(0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0)
/** Growth of the step for each 4 bit code word (WL by RL42). */
const growth4 = Int32Array.of(-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60)

/** Upper band: 2 bits. */
const upperDecision = 564
const restored2 = Int32Array.of(-7408, -1616, 7408, 1616)
const growth2 = Int32Array.of(798, -214, 798, -214)

const lowerBand = (): Band => new Band(32, 18432, 8)
const upperBand = (): Band => new Band(8, 22528, 10)

/**
 * ITU-T G.722 at 64 kbit/s: 16 kHz audio, one byte for two samples. Its RTP clock is 8000 Hz because of a historical error (RFC 3551
 * §4.5.2).
 */
export class G722 implements Codec {
  readonly name = 'G722'
  readonly clockRate = 8000
  readonly sampleRate = 16_000
  readonly #encoder = { line: new Int32Array(lineLength), lower: lowerBand(), upper: upperBand() }
  readonly #decoder = { line: new Int32Array(lineLength), lower: lowerBand(), upper: upperBand() }

  encode(pcm: Int16Array, into: Uint8Array, at: number): number {
    const { line, lower, upper } = this.#encoder
    const count = pcm.length >> 1
    for (let i = 0; i < count; i++) {
      line.copyWithin(0, 2)
      line[22] = pcm[2 * i]!
      line[23] = pcm[2 * i + 1]!
      let odd = 0
      let even = 0
      for (let k = 0; k < 12; k++) {
        odd += line[2 * k]! * splitter[k]!
        even += line[2 * k + 1]! * splitter[11 - k]!
      }
      into[at + i] = (encodeUpper(upper, (even - odd) >> 14) << 6) | encodeLower(lower, (even + odd) >> 14)
    }
    return count
  }

  decode(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number {
    const { line, lower, upper } = this.#decoder
    const count = Math.min(end - start, (into.length - at) >> 1)
    for (let i = 0; i < count; i++) {
      const low = decodeLower(lower, bytes[start + i]! & 63)
      const high = decodeUpper(upper, bytes[start + i]! >> 6)
      line.copyWithin(0, 2)
      line[22] = low + high
      line[23] = low - high
      let second = 0
      let first = 0
      for (let k = 0; k < 12; k++) {
        second += line[2 * k]! * splitter[k]!
        first += line[2 * k + 1]! * splitter[11 - k]!
      }
      into[at + 2 * i] = saturate(first >> 11)
      into[at + 2 * i + 1] = saturate(second >> 11)
    }
    return count * 2
  }

  samples(_bytes: Uint8Array, start: number, end: number): number {
    return (end - start) * 2
  }

  close(): void {}
}

const encodeLower = (band: Band, sample: number): number => {
  const error = saturate(sample - band.predicted)
  const magnitude = error >= 0 ? error : ~error
  let level = 1
  while (level < 30 && magnitude >= (decisions[level]! * band.step) >> 12) level++
  const code = error >= 0 ? 62 - level : level < 3 ? 64 - level : 34 - level
  const coarse = code >> 2
  band.adapt((band.step * restored4[coarse]!) >> 15, growth4[coarse]!)
  return code
}

const encodeUpper = (band: Band, sample: number): number => {
  const error = saturate(sample - band.predicted)
  const magnitude = error >= 0 ? error : ~error
  const far = magnitude >= (upperDecision * band.step) >> 12
  const code = error >= 0 ? (far ? 2 : 3) : far ? 0 : 1
  band.adapt((band.step * restored2[code]!) >> 15, growth2[code]!)
  return code
}

const limit15 = (value: number): number => (value > 16383 ? 16383 : value < -16384 ? -16384 : value)

const decodeLower = (band: Band, code: number): number => {
  const sample = limit15(band.predicted + ((band.step * restored6[code]!) >> 15))
  const coarse = code >> 2
  band.adapt((band.step * restored4[coarse]!) >> 15, growth4[coarse]!)
  return sample
}

const decodeUpper = (band: Band, code: number): number => {
  const difference = (band.step * restored2[code]!) >> 15
  const sample = limit15(band.predicted + difference)
  band.adapt(difference, growth2[code]!)
  return sample
}
