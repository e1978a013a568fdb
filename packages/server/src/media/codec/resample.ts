/**
 * Taps per sample of the slower side: flat up to 85 % of the lower Nyquist frequency, more than 60 dB down from 115 % on. Frequencies
 * between alias only above 85 % (3400 Hz at 8 kHz), outside the voice band.
 */
const tapsPerSlowSample = 24
const kaiserBeta = 5.65

interface Filter {
  /** Interpolation and decimation: the ratio of the rates in lowest terms. */
  up: number
  down: number
  /** Taps in reverse order for each of `up` phases, one phase after the other. */
  taps: Float64Array
  tapsPerPhase: number
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

/** Bessel function for the Kaiser window. */
const bessel = (x: number): number => {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-9; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

const designFilter = (from: number, to: number): Filter => {
  const divisor = greatestDivisor(from, to)
  const up = to / divisor
  const down = from / divisor
  const slow = Math.max(up, down)
  const tapsPerPhase = Math.ceil((tapsPerSlowSample * slow) / up / 4) * 4
  const length = tapsPerPhase * up
  const center = length / 2
  const cutoff = 1 / slow
  const taps = new Float64Array(length)
  for (let i = 0; i < length; i++) {
    const x = i - center
    const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x)
    const window = bessel(kaiserBeta * Math.sqrt(1 - (x / center) ** 2)) / bessel(kaiserBeta)
    const phase = i % up
    taps[phase * tapsPerPhase + tapsPerPhase - 1 - (i - phase) / up] = sinc * window * up
  }
  return { up, down, taps, tapsPerPhase }
}

const designed = new Map<string, Filter>()

const filterFor = (from: number, to: number): Filter => {
  const key = `${from}:${to}`
  let filter = designed.get(key)
  if (!filter) designed.set(key, (filter = designFilter(from, to)))
  return filter
}

/** Resamples a stream frame by frame: a polyphase filter, computed only for the output samples. */
export class Resampler {
  readonly from: number
  readonly to: number
  readonly #filter: Filter
  /** The past that the filter still needs, then the new frame. */
  #input: Float64Array
  /** Position of the next output sample, in steps of the common multiple of both rates. */
  #place = 0

  /** `undelayed`: skips the start-up of the filter. */
  constructor(from: number, to: number, undelayed = false) {
    this.from = from
    this.to = to
    this.#filter = filterFor(from, to)
    if (undelayed) this.#place = this.#filter.taps.length / 2
    this.#input = new Float64Array(this.#filter.tapsPerPhase - 1 + Math.ceil(from / 50))
  }

  /** Returns the number of samples written from `at` on: constant for frames of 20 ms. */
  process(pcm: Int16Array, into: Int16Array, at = 0): number {
    const { up, down, taps, tapsPerPhase } = this.#filter
    const input = this.#load(pcm)
    const end = pcm.length * up
    let place = this.#place
    let count = 0
    for (; place < end; place += down) {
      const phase = place % up
      const start = (place - phase) / up
      const sum = weigh(input, start, taps, phase * tapsPerPhase, tapsPerPhase)
      into[at + count++] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : Math.round(sum)
    }
    this.#place = place - end
    input.copyWithin(0, pcm.length, pcm.length + tapsPerPhase - 1)
    return count
  }

  #load(pcm: Int16Array): Float64Array {
    const past = this.#filter.tapsPerPhase - 1
    if (this.#input.length < past + pcm.length) {
      const larger = new Float64Array(past + pcm.length)
      larger.set(this.#input.subarray(0, past))
      this.#input = larger
    }
    const input = this.#input
    for (let i = 0; i < pcm.length; i++) input[past + i] = pcm[i]!
    return input
  }
}

/** Four parallel sums, because each addition would wait for the previous one. */
const weigh = (input: Float64Array, from: number, taps: Float64Array, tapFrom: number, count: number): number => {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = from
  let k = tapFrom
  const end = tapFrom + count
  while (k < end) {
    a += input[i++]! * taps[k++]!
    b += input[i++]! * taps[k++]!
    c += input[i++]! * taps[k++]!
    d += input[i++]! * taps[k++]!
  }
  return a + b + c + d
}

/** Resamples a sound in chunks, without the filter's delay and without seams. */
export class PieceResampler {
  readonly #resampler: Resampler
  readonly #delay: number
  #taken = 0
  #given = 0

  constructor(from: number, to: number) {
    this.#resampler = new Resampler(from, to, true)
    this.#delay = filterFor(from, to).tapsPerPhase
  }

  add(pcm: Int16Array): Int16Array {
    const { from, to } = this.#resampler
    this.#taken += pcm.length
    const out = new Int16Array(Math.ceil((pcm.length * to) / from) + 1)
    const count = this.#resampler.process(pcm, out)
    this.#given += count
    return out.subarray(0, count)
  }

  /** The samples still in the filter. */
  end(): Int16Array {
    const { from, to } = this.#resampler
    const left = Math.round((this.#taken * to) / from) - this.#given
    return this.add(new Int16Array(this.#delay)).subarray(0, left)
  }
}

/** Resamples a whole sound, without the filter's delay. */
export const resampleSound = (pcm: Int16Array, from: number, to: number): Int16Array => {
  if (from === to) return pcm
  const resampler = new PieceResampler(from, to)
  const body = resampler.add(pcm)
  const rest = resampler.end()
  const out = new Int16Array(body.length + rest.length)
  out.set(body)
  out.set(rest, body.length)
  return out
}
