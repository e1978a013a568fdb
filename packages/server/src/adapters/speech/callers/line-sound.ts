import type { Line } from '@offhook/contract/assistant/callers-sound.ts'

type NoiseKind = NonNullable<Line['noise']>['kind']

export const noiseSeconds = 6
const frameMs = 20

/** Seeded random numbers from 0 to 1. */
const dice = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Each filter turns white noise into noise of one colour. */
const filters: Record<Exclude<NoiseKind, 'babble'>, () => (white: number) => number> = {
  white: () => (white) => white,
  /** Three low-pass filters whose sum falls by 3 dB per octave. */
  pink: () => {
    const poles = [0.997, 0.965, 0.57]
    const states = [0, 0, 0]
    return (white) => {
      for (const [i, pole] of poles.entries()) states[i] = pole * (states[i] ?? 0) + Math.sqrt(1 - pole) * white
      return states.reduce((sum, state) => sum + state, 0)
    }
  },
  brown: () => {
    let state = 0
    return (white) => (state = 0.995 * state + 0.1 * white)
  },
}

const rms = (sound: ArrayLike<number>): number => {
  let sum = 0
  for (let at = 0; at < sound.length; at++) sum += (sound[at] ?? 0) ** 2
  return Math.sqrt(sum / Math.max(1, sound.length))
}

/** RMS below which a frame is silent: about -47 dB. */
const quietRms = 150

export const isAudible = (frame: ArrayLike<number>): boolean => rms(frame) > quietRms

/** RMS of the frames with voice; 0 without any. */
export const speechLevel = (sounds: readonly Int16Array[], frameSamples: number): number => {
  const levels: number[] = []
  for (const sound of sounds)
    for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
      const level = rms(sound.subarray(at, at + frameSamples))
      if (level > quietRms) levels.push(level)
    }
  return rms(levels)
}

const limited = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value)))
const gainOf = (decibels: number): number => 10 ** (decibels / 20)

interface LineSoundDeps {
  /** Samples of a frame. */
  frameSamples: number
  /** RMS of the caller's voice. */
  speechRms: number
  /** Sound of other people. */
  babble?: Int16Array | undefined
  seed?: number
}

/** A caller's room and connection: adds noise and echo to each frame of 20 ms, and loses some. The same seed gives the same sound. */
export class LineSound {
  readonly #deps: LineSoundDeps
  readonly #random: () => number
  #line: Line = {}
  #noise: Float32Array = new Float32Array()
  #at = 0
  #frames = 0
  #echoes: { due: number; frame: Int16Array }[] = []
  #lost = 0
  #before: Int16Array

  constructor(deps: LineSoundDeps) {
    this.#deps = deps
    this.#random = dice(deps.seed ?? 7)
    this.#before = new Int16Array(deps.frameSamples)
  }

  /** Applies from the next frame on. */
  set(line: Line): void {
    this.#line = line
    this.#noise = line.noise ? this.#makeNoise(line.noise) : new Float32Array()
  }

  /** The assistant's sound, as it leaves the caller's loudspeaker. */
  plays(frame: Int16Array): void {
    const { echo } = this.#line
    if (!echo) return
    const due = this.#frames + Math.round((echo.delay_ms ?? 100) / frameMs)
    this.#echoes.push({ due: Math.max(due, (this.#echoes.at(-1)?.due ?? -1) + 1), frame: Int16Array.from(frame) })
  }

  /** Returns the frame that arrives at the service for a frame of the caller's voice. */
  carry(voice: Int16Array): Int16Array<ArrayBuffer> {
    const echo = this.#echoNow()
    const echoGain = gainOf(this.#line.echo?.level_db ?? 0)
    const frame = Int16Array.from({ length: this.#deps.frameSamples }, (_, at) =>
      limited((voice[at] ?? 0) + this.#nextNoise() + (echo?.[at] ?? 0) * echoGain),
    )
    this.#frames += 1
    if (!this.#isLost()) {
      this.#before = frame
      return frame
    }
    // As G.711 Appendix I, but coarser: the last packet twice, each time softer.
    const gain = this.#lost > 2 ? 0 : 0.5 ** this.#lost
    return this.#before.map((value) => value * gain)
  }

  #echoNow(): Int16Array | undefined {
    const [first] = this.#echoes
    if (!first || first.due > this.#frames) return undefined
    this.#echoes.shift()
    return first.frame
  }

  #nextNoise(): number {
    if (this.#noise.length === 0) return 0
    this.#at = (this.#at + 1) % this.#noise.length
    return this.#noise[this.#at] ?? 0
  }

  /** Two states (Gilbert): how likely a loss is depends on whether the packet before was lost. */
  #isLost(): boolean {
    const part = (this.#line.loss_percent ?? 0) / 100
    const burst = this.#line.loss_burst ?? 1
    const stays = Math.max(part, 1 - 1 / burst)
    const chance = this.#lost > 0 ? stays : (part * (1 - stays)) / Math.max(1e-9, 1 - part)
    const isLost = part > 0 && this.#random() < chance
    this.#lost = isLost ? this.#lost + 1 : 0
    return isLost
  }

  #makeNoise({ kind, snr_db: ratio }: NonNullable<Line['noise']>): Float32Array {
    const { speechRms, babble = new Int16Array(), frameSamples } = this.#deps
    const raw = kind === 'babble' ? Float32Array.from(babble) : this.#coloured(kind, (noiseSeconds * 1000 * frameSamples) / frameMs)
    const gain = (speechRms * gainOf(-ratio)) / Math.max(1e-9, rms(raw))
    return raw.map((value) => value * gain)
  }

  #coloured(kind: Exclude<NoiseKind, 'babble'>, length: number): Float32Array {
    const filter = filters[kind]()
    return Float32Array.from({ length }, () => filter(2 * this.#random() - 1))
  }
}
