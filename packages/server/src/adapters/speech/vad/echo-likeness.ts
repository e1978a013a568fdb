import { echoBlock, echoBlocks } from './echo-canceller.ts'
import { energyOf } from './energy.ts'
import { RealFft } from '../real-fft.ts'

/** How much of the last received sound is compared. */
export const soughtSamples = 1024
const latest = echoBlock * echoBlocks
/** And how much of what was sent until then. */
export const searchedSamples = soughtSamples + latest
const fft = new RealFft(4096)
const newSpectrum = () => ({ real: new Float64Array(fft.bins), imaginary: new Float64Array(fft.bins) })
const heardSpectrum = newSpectrum()
const sentSpectrum = newSpectrum()
const time = new Float64Array(fft.size)
/** 0: frequencies count as they are loud, 1: all alike. */
const whitening = 0.7

/** How many blocks of what was sent must not be silent: with fewer, every delay at which one of them sounds stands out. */
const minBlocks = 13
const soundingShare = 0.01

/**
 * How much of what was heard is what was sent before, by correlation: how far the likeliest delay stands out among all. Chance gives about 5 and
 * hardly ever 8, an echo mostly around 10. Undefined: cannot be said. Both sounds end at the same time.
 */
export const echoLikeness = (heard: Float32Array, sent: Float32Array): number | undefined => {
  if (!soundsMostly(sent)) return undefined
  transform(heard, heardSpectrum)
  transform(sent, sentSpectrum)
  const { real, imaginary } = heardSpectrum
  for (let k = 0; k < fft.bins; k++) {
    const re = real[k]! * sentSpectrum.real[k]! + imaginary[k]! * sentSpectrum.imaginary[k]!
    const im = imaginary[k]! * sentSpectrum.real[k]! - real[k]! * sentSpectrum.imaginary[k]!
    const weight = (re * re + im * im + 1e-12) ** (-whitening / 2)
    real[k] = re * weight
    imaginary[k] = im * weight
  }
  fft.inverse(real, imaginary, time)
  return highestToMean()
}

const soundsMostly = (sent: Float32Array): boolean => {
  const energies = Array.from({ length: sent.length / echoBlock }, (_, i) => energyOf(sent, i * echoBlock, (i + 1) * echoBlock))
  const sounding = soundingShare * Math.max(...energies)
  return energies.filter((energy) => energy > sounding).length >= minBlocks
}

const transform = (samples: Float32Array, { real, imaginary }: ReturnType<typeof newSpectrum>): void => {
  time.fill(0)
  time.set(samples)
  fft.forward(time, real, imaginary)
}

/** What was sent begins earlier by the longest delay: the longest is at place 0, shorter ones before it, that is at the end. */
const highestToMean = (): number => {
  let energy = 0
  let highest = 0
  for (let delay = 0; delay <= latest; delay++) {
    const value = Math.abs(time[(fft.size - latest + delay) % fft.size]!)
    energy += value * value
    if (value > highest) highest = value
  }
  return highest / Math.sqrt(energy / (latest + 1) + 1e-20)
}
