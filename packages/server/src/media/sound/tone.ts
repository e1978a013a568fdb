/** Full scale is 0 dBFS for a sine from -32768 to 32767. */
const amplitude = (dbfs: number): number => 32767 * 10 ** (dbfs / 20)

const fadeMs = 5

/** One or more sines; the edges are soft to avoid clicks. */
export const sine = (frequencies: readonly number[], ms: number, rate: number, dbfs = -14): Int16Array => {
  const pcm = new Int16Array(Math.round((ms * rate) / 1000))
  const fade = Math.min(pcm.length / 2, (fadeMs * rate) / 1000)
  const peak = amplitude(dbfs)
  for (let i = 0; i < pcm.length; i++) {
    let sample = 0
    for (const frequency of frequencies) sample += Math.sin((2 * Math.PI * frequency * i) / rate)
    pcm[i] = Math.max(-32768, Math.min(32767, sample * peak * Math.min(1, (i + 1) / fade, (pcm.length - i) / fade)))
  }
  return pcm
}

const cadence = (onMs: number, offMs: number, rate: number): Int16Array => {
  const pcm = new Int16Array(((onMs + offMs) * rate) / 1000)
  pcm.set(sine([425], onMs, rate))
  return pcm
}

/** One period of each; all but the beep are made to be looped. German frequencies and cadences. */
export const tones = {
  ringback: (rate: number) => cadence(1000, 4000, rate),
  busy: (rate: number) => cadence(480, 480, rate),
  congestion: (rate: number) => cadence(240, 240, rate),
  beep: (rate: number) => sine([1000], 400, rate),
}

/** Coefficient of the Goertzel recurrence for a frequency. */
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
