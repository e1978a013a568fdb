import { windowSamples, type EchoGuard } from './echo-guard.ts'
import { energyOf } from './energy.ts'
import { VoiceTrace } from './voice-trace.ts'

export interface RuleObserver {
  noticed?(at: number): void
  started(at: number): void
  stopped(at: number): void
}

export interface RuleDeps {
  guard: Pick<EchoGuard, 'sending' | 'residual' | 'verdict'>
  /** What sounds like speech to the detector but is none. */
  isNoVoice: (window: Float32Array) => boolean
  observer: RuleObserver
}

/** One window is enough when it is as sure as this; otherwise the one before has to be likely, too. */
const sure = 0.9
const speech = 0.6
const likely = 0.3
const unlikely = 0.1
const silence = 0.4
/**
 * The detector hears a voice for a while after its end. Where nothing sounds, one window less sure than this is the end, or two of any
 * kind.
 */
const fading = 0.8
const quietEnough = 2
/** -40 dB: so loud, what is only likely is worth being noticed. */
const noticeable = windowSamples * 1e-4
/** How soon after a pause one window of speech is the same caller going on. */
const goesOnWindows = 10
const goesOn = 0.5
/** While we speak: how much louder than the echo that is expected, in energy, to begin (9 dB) and to go on (6 dB). */
const aboveEcho = 8
const stillAboveEcho = 4
/** And -52 dB at least. */
const minEnergy = windowSamples * 6.3e-6

/** Decides from window to window whether there is speech. */
export class SpeechRule {
  readonly #deps: RuleDeps
  readonly #trace = new VoiceTrace()
  #speaking = false
  /** Where the window begins that is judged next. */
  #place = 0
  #before = 0
  #noticed = false
  /** Where the windows began that are likely to be speech, without a gap until now. */
  #likelySince = 0
  #startedAt = 0
  #stoppedAt = 0
  #windowsSinceStop = Infinity
  #quietWindows = 0
  /** The end of the last window that is more than echo. */
  #soundedUntil = 0

  constructor(deps: RuleDeps) {
    this.#deps = deps
  }

  /** `probability`: that there is speech in this window, the next one. */
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

  /** Nothing more comes. */
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

  /** Once, until it is unlikely again. */
  #notice(window: Float32Array, probability: number): void {
    const noticed = this.#noticed && probability >= likely
    this.#noticed = noticed || (probability >= likely && energyOf(window) >= noticeable && this.#isVoice(window))
    if (this.#noticed && !noticed) this.#deps.observer.noticed?.(this.#place - windowSamples)
  }

  /** Neither noise nor echo nor a key. */
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
