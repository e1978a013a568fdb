import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { duplexBlockSamples } from '#media/stream/duplex-tap.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { CancellingGuard, LevelGuard, windowSamples, type EchoGuard, energyOf } from './echo-guard.ts'
import { SpeechRule, type RuleObserver } from './speech-rule.ts'
import type { HeardWindow, VoiceDetector } from './energy-detector.ts'
import { highTones, lowTones } from '#media/dtmf/dtmf-tones.ts'
import { goertzelCoefficient, goertzelPower } from '#media/sound/tone.ts'
import { RealFft } from '../real-fft.ts'

interface StreamVadDeps {
  sound: SharedArrayBuffer
  track: SharedArrayBuffer
  detector: VoiceDetector
  cancelsEcho: boolean
  observer: RuleObserver
  /** Missing: beeps are not detected. */
  beep: ((at: number) => void) | undefined
}

const block = new Int16Array(2 * duplexBlockSamples)
const blockHeard = block.subarray(0, duplexBlockSamples)
const blockSent = block.subarray(duplexBlockSamples)
const fullScale = 32_768
const scale = 1 / fullScale
/** Buffers of the current stream: each is finished before the next begins. */
const heard = new Float32Array(windowSamples)
const sent = new Float32Array(windowSamples)

/** VAD of one leg: splits its blocks into windows, removes the echo, and reports speech. */
export class StreamVad implements HeardWindow {
  /** Without echo. */
  readonly window = new Float32Array(windowSamples)
  readonly memory: Float32Array
  readonly #sound: SampleRing
  readonly #track: SoundTrack
  readonly #guard: EchoGuard
  readonly #rule: SpeechRule
  readonly #beeps: BeepDetector | undefined
  /** Samples that wait for a full window. */
  readonly #heard = new Int16Array(windowSamples + duplexBlockSamples)
  readonly #sent = new Int16Array(windowSamples + duplexBlockSamples)
  #waiting = 0
  #place = 0

  constructor({ sound, track, detector, cancelsEcho, observer, beep }: StreamVadDeps) {
    this.#sound = new SampleRing(sound)
    this.#track = new SoundTrack(track)
    this.memory = Float32Array.from(detector.firstMemory)
    const guard = cancelsEcho ? new CancellingGuard() : new LevelGuard()
    this.#guard = guard
    const isNoVoice = detector.mistakesKeys ? isKeySound : () => false
    this.#rule = new SpeechRule({ guard, isNoVoice, observer: this.#keepingFor(observer) })
    this.#beeps = beep && new BeepDetector(beep)
  }

  /** The leg has ended and everything was processed. */
  get over(): boolean {
    return this.#sound.ended && this.#sound.available < block.length
  }

  /** Fills the next window; false if there are too few samples. Judge it before the next. */
  nextWindow(): boolean {
    while (this.#waiting < windowSamples && this.#sound.available >= block.length) this.#takeBlock()
    if (this.#waiting < windowSamples) return false
    scaled(this.#heard, heard)
    scaled(this.#sent, sent)
    this.#guard.process(heard, sent, this.window)
    this.#track.write(this.#guard.untouched ? this.#heard.subarray(0, windowSamples) : rounded(this.window))
    this.#heard.copyWithin(0, windowSamples, this.#waiting)
    this.#sent.copyWithin(0, windowSamples, this.#waiting)
    this.#waiting -= windowSamples
    return true
  }

  judge(probability: number): void {
    this.#rule.judge(this.window, probability)
    this.#beeps?.look(this.window, this.#place)
    this.#place += windowSamples
  }

  /** Called after the last window. */
  end(): void {
    this.#rule.end()
    this.#track.write(this.#heard.subarray(0, this.#waiting))
  }

  /** Keeps speech on the track until the observer is notified. */
  #keepingFor(observer: RuleObserver): RuleObserver {
    return {
      noticed: (at) => observer.noticed?.(at),
      started: (at) => {
        this.#track.voiceBegan(at)
        observer.started(at)
      },
      stopped: (at) => observer.stopped(at),
    }
  }

  #takeBlock(): void {
    this.#sound.read(block)
    this.#heard.set(blockHeard, this.#waiting)
    this.#sent.set(blockSent, this.#waiting)
    this.#waiting += duplexBlockSamples
  }
}

/** Scales the first window of these samples. */
const scaled = (samples: Int16Array, into: Float32Array): void => {
  for (let i = 0; i < windowSamples; i++) into[i] = samples[i]! * scale
}

const cleaned = new Int16Array(windowSamples)

const rounded = (samples: Float32Array): Int16Array => {
  for (let i = 0; i < samples.length; i++) cleaned[i] = Math.max(-fullScale, Math.min(fullScale - 1, Math.round(samples[i]! * fullScale)))
  return cleaned
}

const rate = 8000
const fft = new RealFft(windowSamples)
const hertzPerBin = rate / windowSamples
const shape = Float64Array.from({ length: windowSamples }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / windowSamples))
const shaped = new Float64Array(windowSamples)
const real = new Float64Array(fft.bins)
const imaginary = new Float64Array(fft.bins)
const power = new Float64Array(fft.bins)
/** Bins to each side over which a tone is spread. */
const width = 2

const keyShare = 0.8
/** Maximum energy ratio between the two tones of a key. */
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

/** In-band DTMF: two tones have nearly all of the energy. */
export const isKeySound = (window: Float32Array): boolean => {
  const total = look(window)
  const [low, high] = [strongestOf(lowTones), strongestOf(highTones)]
  return low + high > keyShare * total && low < maxTwist * high && high < maxTwist * low
}

const pureShare = 0.9
/** Energy ratio of the loudest to the softest quarter of a window. Two close tones swell and fade. */
const maxSwell = 1.5
const quarter = windowSamples / 4

/** Frequency of a window with one steady tone and no other sound. */
const pureTone = (window: Float32Array): number | undefined => {
  const total = look(window)
  let peak = 1
  for (let k = 2; k < fft.bins - 1; k++) if (power[k]! > power[peak]!) peak = k
  if (around(peak) < pureShare * total) return undefined
  const frequency = (peak + between(peak)) * hertzPerBin
  const amplitudes = [0, 1, 2, 3].map((part) => amplitudeOf(frequency, window.subarray(part * quarter, (part + 1) * quarter)))
  return Math.max(...amplitudes) <= maxSwell * Math.min(...amplitudes) ? frequency : undefined
}

/** Peak position between the bins, by a parabola through the logarithms. */
const between = (peak: number): number => {
  const [before, at, after] = [peak - 1, peak, peak + 1].map((k) => Math.log(power[k]! + 1e-30))
  return (0.5 * (before! - after!)) / (before! - 2 * at! + after!)
}

const amplitudeOf = (frequency: number, samples: Float32Array): number =>
  Math.sqrt(Math.max(0, goertzelPower(samples, goertzelCoefficient(frequency, rate))))

const lowest = 400
const highest = 2100
/** Ringing and busy tone of many countries. */
const callProgress = { hertz: 425, within: 12 }
/** Maximum frequency change between windows of one tone. */
const steadyHertz = 12
/** 160 ms of whole windows, so the tone lasts about 200 ms. */
const minWindows = 5
/** A tone longer than 3 seconds is that of a dead line. */
const maxWindows = 94
/** -45 dB. */
const minBeepEnergy = windowSamples * 3.2e-5

/** Finds the beep of an answering machine, a single pure tone, and reports its end. */
export class BeepDetector {
  readonly #beep: (at: number) => void
  #hertz = 0
  #windows = 0

  constructor(beep: (at: number) => void) {
    this.#beep = beep
  }

  /** `place`: start of the window. */
  look(window: Float32Array, place: number): void {
    const hertz = energyOf(window) > minBeepEnergy ? pureTone(window) : undefined
    const sameTone = hertz !== undefined && Math.abs(hertz - this.#hertz) < steadyHertz
    if (this.#windows > 0 && !sameTone) this.#ended(place)
    if (hertz !== undefined) {
      this.#hertz = hertz
      this.#windows++
    }
  }

  #ended(place: number): void {
    const windows = this.#windows
    this.#windows = 0
    if (this.#hertz < lowest || this.#hertz > highest || Math.abs(this.#hertz - callProgress.hertz) < callProgress.within) return
    if (windows >= minWindows && windows <= maxWindows) this.#beep(place)
  }
}
