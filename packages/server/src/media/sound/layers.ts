import type { Layer, PcmRate } from '../engine.ts'
import { Playout, type SoundEnded } from './playout.ts'
import { type SoundSource, ConvertedSource, MemorySource } from './sound-source.ts'

/** Topmost first. */
const order: readonly Layer[] = ['notice', 'announcement', 'music', 'usual']

export const isAnnounced = (layer: Layer | undefined): boolean => layer === 'notice' || layer === 'announcement'

/** A stream's own sounds: plays the topmost non-empty layer, while those below wait. */
export class Layers {
  readonly #layers: readonly (readonly [Layer, Playout])[]

  /** `began`: called for announcements and notices. */
  constructor(ended: SoundEnded, began: (id: number) => void) {
    this.#layers = order.map((layer) => [layer, new Playout(ended, isAnnounced(layer) ? { began } : {})] as const)
  }

  /** Output rate. May change in the middle of a sound. */
  set rate(rate: number) {
    for (const [, playout] of this.#layers) playout.rate = rate
  }

  add(layer: Layer, id: number, source: SoundSource): void {
    this.#layers.find(([name]) => name === layer)?.[1].addSource(id, source)
  }

  stop(id: number): void {
    for (const [, playout] of this.#layers) playout.stop(id)
  }

  stopAll(): void {
    for (const [, playout] of this.#layers) playout.stopAll()
  }

  /** Returns the layer that was read; undefined if none plays. */
  read(into: Int16Array): Layer | undefined {
    for (const [layer, playout] of this.#layers) if (playout.read(into)) return layer
    return undefined
  }
}

/** Loops a sound softly under another one. */
export class Background {
  readonly #original: MemorySource
  readonly #gain: number
  #source: SoundSource
  #frame = new Int16Array()

  /** `volume`: 0 to 1. */
  constructor(samples: Int16Array, rate: PcmRate, volume: number) {
    this.#original = new MemorySource(samples, rate, true)
    this.#source = this.#original
    this.#gain = Math.min(1, Math.max(0, volume))
  }

  /** Writes `frame` with the next part of the background to `into`; both may be the same. `rate`: of both. */
  under(frame: Int16Array, into: Int16Array, rate: number): void {
    const own = this.#next(frame.length, rate)
    const gain = this.#gain
    for (let i = 0; i < own.length; i++) {
      const sum = frame[i]! + Math.round(own[i]! * gain)
      into[i] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum
    }
  }

  #next(samples: number, rate: number): Int16Array {
    if (this.#source.rate !== rate) this.#source = rate === this.#original.rate ? this.#original : new ConvertedSource(this.#original, rate)
    if (this.#frame.length !== samples) this.#frame = new Int16Array(samples)
    let filled = 0
    while (filled < samples) {
      const count = this.#source.read(this.#frame, filled)
      if (count === 0) break
      filled += count
    }
    this.#frame.fill(0, filled)
    return this.#frame
  }
}

/** 12 dB softer: in the background of the caller's voice, but still intelligible. */
const softly = 10 ** (-12 / 20)
const rampMs = 20

/** Lowers and restores the level over 20 ms, to avoid clicks. Starts at full level. */
export class Ducking {
  #from = 1
  #to = 1
  /** Progress between both levels, 0 to 1. */
  #way = 1

  set ducked(value: boolean) {
    const to = value ? softly : 1
    if (to === this.#to) return
    this.#from = this.#gain
    this.#to = to
    this.#way = 0
  }

  /** True if it changes no samples. */
  get idle(): boolean {
    return this.#way >= 1 && this.#to === 1
  }

  /** Processes the next samples; `rate`: samples per second. */
  process(samples: Int16Array, rate: number): void {
    const step = 1000 / (rampMs * rate)
    for (let i = 0; i < samples.length; i++) {
      if (this.#way < 1) this.#way = Math.min(1, this.#way + step)
      samples[i] = Math.round(samples[i]! * this.#gain)
    }
  }

  /** There is no sound: the next one starts at its target level. */
  settle(): void {
    this.#way = 1
  }

  /** Half a cosine: smooth at both ends, also when reversed midway. */
  get #gain(): number {
    if (this.#way >= 1) return this.#to
    return this.#from + ((this.#to - this.#from) * (1 - Math.cos(Math.PI * this.#way))) / 2
  }
}
