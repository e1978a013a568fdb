/** What Goertzel's recurrence multiplies by to find a frequency. */
export const goertzelCoefficient = (frequency: number, rate: number): number => 2 * Math.cos((2 * Math.PI * frequency) / rate)

/** Power of one frequency in `samples[from, to)`. */
export const goertzelPower = (samples: Int16Array | Float32Array, coefficient: number, from = 0, to = samples.length): number => {
  let last = 0
  let before = 0
  for (let i = from; i < to; i++) {
    const next = samples[i]! + coefficient * last - before
    before = last
    last = next
  }
  return last * last + before * before - coefficient * last * before
}
