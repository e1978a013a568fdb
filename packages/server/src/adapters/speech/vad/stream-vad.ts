import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { duplexBlockSamples } from '#media/stream/duplex-tap.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { BeepDetector } from './beep-detector.ts'
import { CancellingGuard, LevelGuard, windowSamples, type EchoGuard } from './echo-guard.ts'
import { SpeechRule, type RuleObserver } from './speech-rule.ts'
import type { HeardWindow, VoiceDetector } from './voice-detector.ts'
import { isKeySound } from './window-spectrum.ts'

export interface StreamVadDeps {
  sound: SharedArrayBuffer
  track: SharedArrayBuffer
  detector: VoiceDetector
  cancelsEcho: boolean
  observer: RuleObserver
  /** Missing: beeps are not looked for. */
  beep: ((at: number) => void) | undefined
}

const block = new Int16Array(2 * duplexBlockSamples)
const blockHeard = block.subarray(0, duplexBlockSamples)
const blockSent = block.subarray(duplexBlockSamples)
const fullScale = 32_768
const scale = 1 / fullScale
/** Of the ear that is looked at: one is done with them before the next begins. */
const heard = new Float32Array(windowSamples)
const sent = new Float32Array(windowSamples)

/** Listens to one leg: makes windows of the blocks that come, takes the echo out of them, and reports speech. */
export class StreamVad implements HeardWindow {
  /** Without echo. */
  readonly window = new Float32Array(windowSamples)
  readonly memory: Float32Array
  readonly #sound: SampleRing
  readonly #track: SoundTrack
  readonly #guard: EchoGuard
  readonly #rule: SpeechRule
  readonly #beeps: BeepDetector | undefined
  /** Samples that wait until there are enough for a window. */
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

  /** The leg is gone and everything was heard. */
  get over(): boolean {
    return this.#sound.ended && this.#sound.available < block.length
  }

  /** Makes the next window; false when there is not enough for one yet. It has to be judged before the next. */
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

  /** After the last window. */
  end(): void {
    this.#rule.end()
    this.#track.write(this.#heard.subarray(0, this.#waiting))
  }

  /** What is said stays on the track until it was told to whom it concerns. */
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

/** The first window of these. */
const scaled = (samples: Int16Array, into: Float32Array): void => {
  for (let i = 0; i < windowSamples; i++) into[i] = samples[i]! * scale
}

const cleaned = new Int16Array(windowSamples)

const rounded = (samples: Float32Array): Int16Array => {
  for (let i = 0; i < samples.length; i++) cleaned[i] = Math.max(-fullScale, Math.min(fullScale - 1, Math.round(samples[i]! * fullScale)))
  return cleaned
}
