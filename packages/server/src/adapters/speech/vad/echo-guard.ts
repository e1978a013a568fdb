import { echoBlock, EchoCanceller, echoBlocks } from './echo-canceller.ts'
import { energyOf } from './energy.ts'
import { echoLikeness, searchedSamples, soughtSamples } from './echo-likeness.ts'

/** What is looked at together: two blocks of the canceller, and what Silero takes at 8 kHz. */
export const windowSamples = 256

/** Keeps the phone's echo of what we say apart from what is said there. */
export interface EchoGuard {
  /** Something is being sent, or its echo may still come. */
  readonly sending: boolean
  /** The last window was left as it was heard. */
  readonly untouched: boolean
  /** Energy of the echo that may be in the last window after cleaning. */
  readonly residual: number
  /** One window; `clean` becomes `heard` without echo. */
  process(heard: Float32Array, sent: Float32Array, clean: Float32Array): void
  /** Whether the last windows, although louder than the echo that was expected, are echo all the same. */
  verdict(): 'echo' | 'perhaps' | 'voice'
}

/** -60 dB below full scale: what is softer comes back inaudibly. */
const minSentEnergy = windowSamples * 1e-6
const tailWindows = Math.ceil((echoBlock * echoBlocks) / windowSamples)

/** Looked at only where windows are louder than they should be. */
const certainEcho = 8
const possibleEcho = 6
/** Of the energy of all that was sent. */
const loudestEcho = 0.25

/** How much louder, in energy, the canceller made the last windows, if that was not expected. */
const worse = 1.1
const muchWorse = 1.2
const unexpected = 4
const worseSmoothing = 0.5

/** Takes the echo out by an adaptive filter. */
export class CancellingGuard implements EchoGuard {
  residual = 0
  #windowsSinceSent = Infinity
  #heardEnergy = 0
  #cleanEnergy = 0
  /** Made when something is sent for the first time. */
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

/** The share of the sent energy that is assumed to come back as echo: -17 dB. */
const assumedEcho = 0.02

/**
 * Leaves the sound as it is and only expects as much echo as phones may make. For tones, which a filter would take for echoes of each
 * other.
 */
export class LevelGuard implements EchoGuard {
  readonly untouched = true
  residual = 0
  /** Of the last windows. */
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
