/** Zero crossings of the filter on each side: more give a sharper cutoff and a longer delay. */
const crossings = 12

/** Resamples a stream: a windowed sinc that passes the frequencies of the lower rate. */
export class Resampler {
  /** One filter per fractional position between two input samples. */
  readonly #filters: readonly Float32Array[]
  readonly #from: number
  readonly #to: number
  readonly #reach: number
  #waiting: Float32Array
  /** Position of the next sample in the buffered ones: whole samples, and fractions of `#to`. */
  #whole: number
  #part = 0

  constructor(fromRate: number, toRate: number) {
    const shared = greatestCommonDivisor(fromRate, toRate)
    this.#from = fromRate / shared
    this.#to = toRate / shared
    const cutOff = Math.min(1, this.#to / this.#from)
    this.#reach = cutOff === 1 ? crossings : Math.ceil(crossings / cutOff)
    this.#filters = Array.from({ length: this.#to }, (_, part) => filterAt(part / this.#to, cutOff, this.#reach))
    this.#waiting = new Float32Array(this.#reach)
    this.#whole = this.#reach
  }

  /** Output of these samples; the last few wait for later input. */
  push(samples: Float32Array): Float32Array {
    const input = new Float32Array(this.#waiting.length + samples.length)
    input.set(this.#waiting)
    input.set(samples, this.#waiting.length)
    const output: number[] = []
    while (this.#whole + this.#reach < input.length) {
      output.push(this.#sampleAt(input))
      this.#part += this.#from
      this.#whole += Math.floor(this.#part / this.#to)
      this.#part %= this.#to
    }
    const done = Math.min(this.#whole - this.#reach, input.length)
    this.#waiting = input.slice(done)
    this.#whole -= done
    return Float32Array.from(output)
  }

  #sampleAt(input: Float32Array): number {
    const filter = this.#filters[this.#part] ?? new Float32Array()
    const first = this.#whole - this.#reach
    let sum = 0
    for (let tap = 0; tap < filter.length; tap++) sum += (filter[tap] ?? 0) * (input[first + tap] ?? 0)
    return sum
  }
}

const filterAt = (offset: number, cutOff: number, reach: number): Float32Array => {
  const taps = Float32Array.from({ length: 2 * reach + 1 }, (_, tap) => {
    const distance = tap - reach - offset
    const window = Math.abs(distance) >= reach ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach)
    return cutOff * sinc(cutOff * distance) * window
  })
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map((tap) => tap / sum)
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))
