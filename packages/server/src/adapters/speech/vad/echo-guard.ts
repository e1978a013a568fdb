import { echoBlock, EchoCanceller, echoBlocks } from './echo-canceller.ts'
import { RealFft } from '../real-fft.ts'

/** Window: two blocks of the canceller, and the input of Silero at 8 kHz. */
export const windowSamples = 256

/** Separates the phone's echo of our sound from the caller's voice. */
export interface EchoGuard {
  /** Sound is being sent, or its echo may still arrive. */
  readonly sending: boolean
  /** The last window was passed unchanged. */
  readonly untouched: boolean
  /** Energy of the echo that may remain in the last window. */
  readonly residual: number
  /** Processes one window; writes `heard` without echo to `clean`. */
  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void
  /** Verdict on the last windows when they are louder than the expected echo. */
  verdict(): 'echo' | 'perhaps' | 'voice'
}

/** -60 dBFS: the echo of softer sound is inaudible. */
const minSentEnergy = windowSamples * 1e-6
const tailWindows = Math.ceil((echoBlock * echoBlocks) / windowSamples)

/** Likeness values; computed only when windows are louder than expected. */
const certainEcho = 8
const possibleEcho = 6
/** Share of the energy of all sent sound. */
const loudestEcho = 0.25

/** Factor by which the canceller unexpectedly increased the energy of the last windows. */
const worse = 1.1
const muchWorse = 1.2
const unexpected = 4
const worseSmoothing = 0.5

/** Removes the echo with an adaptive filter. */
export class CancellingGuard implements EchoGuard {
  residual = 0
  #windowsSinceSent = Infinity
  #heardEnergy = 0
  #cleanEnergy = 0
  /** Created when sound is first sent. */
  #echo: { canceller: EchoCanceller; sent: Float32Array; clean: Float32Array } | undefined

  get sending(): boolean {
    return this.#windowsSinceSent <= tailWindows
  }

  get untouched(): boolean {
    return !this.sending
  }

  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void {
    const before = this.sending
    this.#windowsSinceSent = energyOf(sent) >= minSentEnergy ? 0 : this.#windowsSinceSent + 1
    if (this.sending) this.#cancel(heard, sent, clean)
    else {
      clean.set(heard)
      this.residual = 0
      if (before) this.#rest()
    }
  }

  verdict(): 'echo' | 'perhaps' | 'voice' {
    if (!this.#echo) return 'voice'
    if (this.#cleanEnergy > worse * this.#heardEnergy) return 'perhaps'
    if (energyOf(this.#echo.clean) > loudestEcho * energyOf(this.#echo.sent)) return 'voice'
    const likeness = echoLikeness(this.#echo.clean, this.#echo.sent) ?? possibleEcho
    if (likeness < possibleEcho) return 'voice'
    if (likeness < certainEcho) return 'perhaps'
    this.#echo.canceller.relearn()
    return 'echo'
  }

  #rest(): void {
    this.#echo?.canceller.rest()
    this.#echo?.sent.fill(0)
    this.#echo?.clean.fill(0)
    this.#heardEnergy = 0
    this.#cleanEnergy = 0
  }

  #cancel(heard: Float32Array, sent: Float32Array, clean: Float32Array): void {
    const echo = (this.#echo ??= {
      canceller: new EchoCanceller(),
      sent: new Float32Array(searchedSamples),
      clean: new Float32Array(soughtSamples),
    })
    this.residual = 0
    for (let at = 0; at < windowSamples; at += echoBlock) {
      const end = at + echoBlock
      echo.canceller.process(heard.subarray(at, end), sent.subarray(at, end), clean.subarray(at, end))
      this.residual += echo.canceller.residual
    }
    append(echo.sent, sent)
    append(echo.clean, clean)
    if (!this.#makesWorse(heard, clean)) return
    echo.canceller.relearn()
    this.residual = Infinity
  }

  /** Happens when the delay of the echo suddenly changes, but not when the caller speaks. */
  #makesWorse(heard: Float32Array, clean: Float32Array): boolean {
    this.#heardEnergy = worseSmoothing * this.#heardEnergy + energyOf(heard)
    this.#cleanEnergy = worseSmoothing * this.#cleanEnergy + energyOf(clean)
    return this.#cleanEnergy > muchWorse * this.#heardEnergy && energyOf(clean) > unexpected * this.residual
  }
}

const append = (history: Float32Array, samples: Float32Array): void => {
  history.copyWithin(0, samples.length)
  history.set(samples, history.length - samples.length)
}

/** Share of the sent energy assumed to return as echo: -17 dB. */
const assumedEcho = 0.02

/**
 * Passes the sound unchanged and only expects the echo of a typical phone. For tones, which a filter would treat as echoes of each other.
 */
export class LevelGuard implements EchoGuard {
  readonly untouched = true
  residual = 0
  /** Energies of the last windows. */
  readonly #sent = new Float64Array(tailWindows + 1)
  #at = 0

  get sending(): boolean {
    return this.residual > 0
  }

  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void {
    clean.set(heard)
    const energy = energyOf(sent)
    this.#sent[this.#at++ % this.#sent.length] = energy >= minSentEnergy ? energy : 0
    let max = 0
    for (const sent of this.#sent) if (sent > max) max = sent
    this.residual = assumedEcho * max
  }

  verdict(): 'voice' {
    return 'voice'
  }
}

/** Samples of the latest received sound that are compared. */
const soughtSamples = 1024
const latest = echoBlock * echoBlocks
/** Samples of the sent sound that are searched. */
const searchedSamples = soughtSamples + latest
const fft = new RealFft(4096)
const newSpectrum = () => ({ real: new Float64Array(fft.bins), imaginary: new Float64Array(fft.bins) })
const heardSpectrum = newSpectrum()
const sentSpectrum = newSpectrum()
const time = new Float64Array(fft.size)
/** 0: frequencies count by their level, 1: all equally. */
const whitening = 0.7

/** Minimum of non-silent blocks in the sent sound: with fewer, every delay at which one of them sounds stands out. */
const minBlocks = 13
const soundingShare = 0.01

/**
 * Similarity of the heard to the sent sound, by correlation: how far the likeliest delay stands out among all. Chance gives about 5 and
 * hardly ever 8, an echo mostly around 10. Undefined if unknown. Both sounds end at the same time.
 */
const echoLikeness = (heard: Float32Array, sent: Float32Array): number | undefined => {
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

/** The sent sound begins earlier by the longest delay: the longest is at position 0, shorter ones before it, that is at the end. */
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

/** Energy of samples from -1 to 1. */
export const energyOf = (samples: Float32Array, from = 0, to = samples.length): number => {
  let energy = 0
  for (let i = from; i < to; i++) energy += samples[i]! * samples[i]!
  return energy
}
