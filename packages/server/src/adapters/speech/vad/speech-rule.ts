import { windowSamples, type EchoGuard, energyOf } from './echo-guard.ts'

export interface RuleObserver {
  noticed?(at: number): void
  started(at: number): void
  stopped(at: number): void
}

interface RuleDeps {
  guard: Pick<EchoGuard, 'sending' | 'residual' | 'verdict'>
  /** True for sounds that the detector mistakes for speech. */
  isNoVoice: (window: Float32Array) => boolean
  observer: RuleObserver
}

/** One window this sure is enough; otherwise the previous one has to be likely, too. */
const sure = 0.9
const speech = 0.6
const likely = 0.3
const unlikely = 0.1
const silence = 0.4
/** The detector hears a voice for a while after its end. In silence, one window less sure than this is the end, or two of any kind. */
const fading = 0.8
const quietEnough = 2
/** -40 dB: a likely window this loud is noticed. */
const noticeable = windowSamples * 1e-4
/** Windows after a pause within which one window of speech continues the same utterance. */
const goesOnWindows = 10
const goesOn = 0.5
/** Energy above the expected echo while we speak: to start (9 dB) and to continue (6 dB). */
const aboveEcho = 8
const stillAboveEcho = 4
/** -52 dB, the minimum in any case. */
const minEnergy = windowSamples * 6.3e-6

/** Decides window by window whether there is speech. */
export class SpeechRule {
  readonly #deps: RuleDeps
  readonly #trace = new VoiceTrace()
  #speaking = false
  /** Start of the next window. */
  #place = 0
  #before = 0
  #noticed = false
  /** Start of the latest run of likely windows. */
  #likelySince = 0
  #startedAt = 0
  #stoppedAt = 0
  #windowsSinceStop = Infinity
  #quietWindows = 0
  /** End of the last window that is more than echo. */
  #soundedUntil = 0

  constructor(deps: RuleDeps) {
    this.#deps = deps
  }

  /** `probability`: of speech in the next window. */
  judge(window: Float32Array, probability: number): void {
    this.#trace.add(window)
    if (this.#before < likely) this.#likelySince = this.#place
    this.#place += windowSamples
    this.#windowsSinceStop++
    const audible = this.#isLoud(window, stillAboveEcho)
    if (audible) this.#soundedUntil = this.#place
    const sounds = audible && this.#trace.sounds
    if (this.#speaking) this.#listenForEnd(probability, sounds)
    else this.#listenForBeginning(window, probability)
    this.#before = sounds ? probability : 0
  }

  /** The stream has ended. */
  end(): void {
    if (this.#speaking) this.#stop()
  }

  #listenForBeginning(window: Float32Array, probability: number): void {
    if (probability < unlikely) this.#trace.isNoise()
    if (!this.#isSpeech(probability)) return this.#notice(window, probability)
    if (!this.#isVoice(window)) return
    this.#speaking = true
    this.#noticed = false
    this.#trace.isVoice()
    this.#startedAt = Math.max(this.#stoppedAt, this.#trace.beginning(this.#likelySince))
    this.#deps.observer.started(this.#startedAt)
  }

  /** Notifies once, until speech is unlikely again. */
  #notice(window: Float32Array, probability: number): void {
    const noticed = this.#noticed && probability >= likely
    this.#noticed = noticed || (probability >= likely && energyOf(window) >= noticeable && this.#isVoice(window))
    if (this.#noticed && !noticed) this.#deps.observer.noticed?.(this.#place - windowSamples)
  }

  /** Rejects noise, echo and DTMF. */
  #isVoice(window: Float32Array): boolean {
    const { guard, isNoVoice } = this.#deps
    if (!this.#trace.sounds || !this.#isLoud(window, aboveEcho) || isNoVoice(window)) return false
    return !guard.sending || guard.verdict() === 'voice'
  }

  #isSpeech(probability: number): boolean {
    if (probability >= sure || (probability >= speech && this.#before >= likely)) return true
    return this.#windowsSinceStop <= goesOnWindows && !this.#deps.guard.sending && probability >= goesOn
  }

  #listenForEnd(probability: number, sounds: boolean): void {
    this.#quietWindows = sounds ? 0 : this.#quietWindows + 1
    if (probability < silence || this.#quietWindows === quietEnough || (!sounds && probability < fading)) return this.#stop()
    if (sounds) this.#trace.isVoice()
  }

  #stop(): void {
    this.#speaking = false
    this.#windowsSinceStop = 0
    this.#stoppedAt = Math.max(this.#startedAt, Math.min(this.#soundedUntil, this.#trace.end()))
    this.#deps.observer.stopped(this.#stoppedAt)
  }

  #isLoud(window: Float32Array, times: number): boolean {
    const { sending, residual } = this.#deps.guard
    return !sending || energyOf(window) > Math.max(minEnergy, times * residual)
  }
}

/** 8 ms: finer than a window, so that starts and ends are more exact than windows. */
const stepSamples = 64
const stepsPerWindow = windowSamples / stepSamples
/** The last half second. */
const keptSteps = 64
/** The noise estimate falls immediately but rises slowly (3 dB in 100 ms), because rising sound may be an undetected voice. */
const noiseSmoothing = 0.9
const noiseRise = 1.06
/** Energy above the noise: 6 dB. */
const aboveNoise = 4
/** Energy below the loudest of an utterance: 40 dB. */
const belowLoudest = 1e-4
/** -75 dB: softer sound is inaudible. */
const minTraceEnergy = stepSamples * 3.2e-8
/** Steps before the first window with speech in which its start is searched. */
const earlierSteps = 12

/** Level of the last half second, step by step, to find the exact start and end of a voice. */
class VoiceTrace {
  readonly #energies = new Float64Array(keptSteps)
  /** Steps since the beginning. */
  #steps = 0
  #noise = minTraceEnergy
  #loudest = 0

  add(window: Float32Array): void {
    for (let at = 0; at < window.length; at += stepSamples)
      this.#energies[this.#steps++ % keptSteps] = energyOf(window, at, at + stepSamples)
  }

  /** The last window was without speech. */
  isNoise(): void {
    for (let step = this.#steps - stepsPerWindow; step < this.#steps; step++) {
      const level = noiseSmoothing * this.#noise + (1 - noiseSmoothing) * this.#energy(step)
      this.#noise = Math.max(minTraceEnergy, Math.min(level, noiseRise * this.#noise))
    }
    this.#loudest = 0
  }

  /** The last window was speech. */
  isVoice(): void {
    for (let step = this.#steps - stepsPerWindow; step < this.#steps; step++) this.#loudest = Math.max(this.#loudest, this.#energy(step))
  }

  /** Something in the last window was loud enough to be voice. */
  get sounds(): boolean {
    for (let step = this.#steps - stepsPerWindow; step < this.#steps; step++) if (this.#isLoud(step)) return true
    return false
  }

  /** Start of the voice that was detected in the window at this position. */
  beginning(noticed: number): number {
    let step = noticed / stepSamples
    const earliest = Math.max(0, step - earlierSteps, this.#steps - keptSteps)
    if (this.#isLoud(step)) while (step > earliest && this.#isLoud(step - 1)) step--
    else while (step < this.#steps - 1 && !this.#isLoud(step)) step++
    return step * stepSamples
  }

  /** Position after the last loud step. */
  end(): number {
    let step = this.#steps
    while (step > Math.max(0, this.#steps - keptSteps) && !this.#isLoud(step - 1)) step--
    return step * stepSamples
  }

  #energy(step: number): number {
    return this.#energies[step % keptSteps]!
  }

  #isLoud(step: number): boolean {
    return this.#energy(step) > Math.max(aboveNoise * this.#noise, belowLoudest * this.#loudest)
  }
}
