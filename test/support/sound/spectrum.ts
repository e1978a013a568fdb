const windows = new Map<number, Float64Array>()

/** Hann window: keeps a strong tone from leaking into other frequencies. */
const windowOf = (length: number): Float64Array => {
  const known = windows.get(length)
  if (known) return known
  const made = Float64Array.from({ length }, (_, i) => 1 - Math.cos((2 * Math.PI * (i + 0.5)) / length))
  windows.set(length, made)
  return made
}

/** Amplitude of the sine at one frequency (Goertzel). */
export const amplitudeOf = (samples: ArrayLike<number>, frequency: number, rate: number): number => {
  if (samples.length === 0) return 0
  const weights = windowOf(samples.length)
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / rate)
  let before = 0
  let last = 0
  for (let i = 0; i < samples.length; i++) {
    const next = samples[i]! * weights[i]! + coefficient * last - before
    before = last
    last = next
  }
  const power = last * last + before * before - coefficient * last * before
  return (2 * Math.sqrt(Math.max(0, power))) / samples.length
}

/** Level of one frequency in a sound, in dB below a sine at full scale. */
export const toneLevel = (pcm: ArrayLike<number>, frequency: number, rate: number): number =>
  20 * Math.log10(Math.max(1e-9, amplitudeOf(pcm, frequency, rate) / 32768))

/** Total level in dB below a sine at full scale. */
export const level = (pcm: ArrayLike<number>): number => {
  let energy = 0
  for (let i = 0; i < pcm.length; i++) energy += pcm[i]! * pcm[i]!
  return 10 * Math.log10(Math.max(1e-18, (2 * energy) / pcm.length / 32768 ** 2))
}

/** Level of a tone above the rest of the sound, in dB. */
export const toneToRest = (pcm: ArrayLike<number>, frequency: number, rate: number): number => {
  let [cc, ss, cs, xc, xs] = [0, 0, 0, 0, 0]
  for (let i = 0; i < pcm.length; i++) {
    const cos = Math.cos((2 * Math.PI * frequency * i) / rate)
    const sin = Math.sin((2 * Math.PI * frequency * i) / rate)
    cc += cos * cos
    ss += sin * sin
    cs += cos * sin
    xc += pcm[i]! * cos
    xs += pcm[i]! * sin
  }
  const determinant = cc * ss - cs * cs
  const a = (xc * ss - xs * cs) / determinant
  const b = (xs * cc - xc * cs) / determinant
  const rest = Array.from(
    pcm,
    (sample, i) => sample - a * Math.cos((2 * Math.PI * frequency * i) / rate) - b * Math.sin((2 * Math.PI * frequency * i) / rate),
  )
  return 20 * Math.log10(Math.hypot(a, b) / 32768) - level(rest)
}

/** Seeded random numbers from 0 to 1. */
export const randomOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
