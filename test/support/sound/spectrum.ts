/** Level of one frequency in a sound, in dB below a sine at full scale. */
export const toneLevel = (pcm: ArrayLike<number>, frequency: number, rate: number): number => {
  let real = 0
  let imaginary = 0
  let weights = 0
  for (let i = 0; i < pcm.length; i++) {
    const weight = 1 - Math.cos((2 * Math.PI * (i + 0.5)) / pcm.length)
    const angle = (2 * Math.PI * frequency * i) / rate
    real += pcm[i]! * weight * Math.cos(angle)
    imaginary += pcm[i]! * weight * Math.sin(angle)
    weights += weight
  }
  return 20 * Math.log10(Math.max(1e-9, (2 * Math.hypot(real, imaginary)) / weights / 32768))
}

/** Of everything together, in dB below a sine at full scale. */
export const level = (pcm: ArrayLike<number>): number => {
  let energy = 0
  for (let i = 0; i < pcm.length; i++) energy += pcm[i]! * pcm[i]!
  return 10 * Math.log10(Math.max(1e-18, (2 * energy) / pcm.length / 32768 ** 2))
}

/** How far a tone stands above everything else in the sound, in dB. */
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

/** Repeatable numbers from 0 to 1. */
export const randomOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
