import { windowSamples } from './echo-guard.ts'
import { highTones, lowTones } from '#media/dtmf/dtmf-tones.ts'
import { goertzelCoefficient, goertzelPower } from '#media/sound/goertzel.ts'
import { RealFft } from '../real-fft.ts'

const rate = 8000
const fft = new RealFft(windowSamples)
const hertzPerBin = rate / windowSamples
const shape = Float64Array.from({ length: windowSamples }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / windowSamples))
const shaped = new Float64Array(windowSamples)
const real = new Float64Array(fft.bins)
const imaginary = new Float64Array(fft.bins)
const power = new Float64Array(fft.bins)
/** Over how many bins to each side a tone is spread. */
const width = 2

const keyShare = 0.8
/** How much weaker one tone of a key may be than the other, in energy. */
const maxTwist = 30

const look = (window: Float32Array): number => {
  for (let i = 0; i < windowSamples; i++) shaped[i] = window[i]! * shape[i]!
  fft.forward(shaped, real, imaginary)
  let total = 0
  for (let k = 0; k < fft.bins; k++) {
    power[k] = real[k]! * real[k]! + imaginary[k]! * imaginary[k]!
    total += power[k]!
  }
  return total
}

const around = (bin: number): number => {
  let sum = 0
  for (let k = Math.max(0, bin - width); k <= Math.min(fft.bins - 1, bin + width); k++) sum += power[k]!
  return sum
}

const strongestOf = (frequencies: number[]): number => Math.max(...frequencies.map((hertz) => around(Math.round(hertz / hertzPerBin))))

/** A key of the phone that comes as sound: nearly all there is are its two tones. */
export const isKeySound = (window: Float32Array): boolean => {
  const total = look(window)
  const [low, high] = [strongestOf(lowTones), strongestOf(highTones)]
  return low + high > keyShare * total && low < maxTwist * high && high < maxTwist * low
}

const pureShare = 0.9
/** Between the loudest and the softest quarter of a window. Two tones close together swell and fade. */
const maxSwell = 1.5
const quarter = windowSamples / 4

/** The frequency, if the window is one steady tone and nothing else. */
export const pureTone = (window: Float32Array): number | undefined => {
  const total = look(window)
  let peak = 1
  for (let k = 2; k < fft.bins - 1; k++) if (power[k]! > power[peak]!) peak = k
  if (around(peak) < pureShare * total) return undefined
  const frequency = (peak + between(peak)) * hertzPerBin
  const amplitudes = [0, 1, 2, 3].map((part) => amplitudeOf(frequency, window.subarray(part * quarter, (part + 1) * quarter)))
  return Math.max(...amplitudes) <= maxSwell * Math.min(...amplitudes) ? frequency : undefined
}

/** Where the top lies between the bins, by a parabola through the logarithms. */
const between = (peak: number): number => {
  const [before, at, after] = [peak - 1, peak, peak + 1].map((k) => Math.log(power[k]! + 1e-30))
  return (0.5 * (before! - after!)) / (before! - 2 * at! + after!)
}

const amplitudeOf = (frequency: number, samples: Float32Array): number =>
  Math.sqrt(Math.max(0, goertzelPower(samples, goertzelCoefficient(frequency, rate))))
