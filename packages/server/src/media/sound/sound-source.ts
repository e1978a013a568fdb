import { framesPerSecond } from '../codec/codec.ts'
import { Resampler } from '../codec/resample.ts'
import type { SampleRing } from '../thread/sample-ring.ts'

/** Source of played samples. */
export interface SoundSource {
  readonly rate: number
  /** No more samples follow. */
  readonly ended: boolean
  /** Fills `into` from `at` on as far as possible; returns the number of samples. */
  read(into: Int16Array, at: number): number
}

/** A sound in memory, once or looped. */
export class MemorySource implements SoundSource {
  readonly rate: number
  readonly #samples: Int16Array
  readonly #loop: boolean
  #position = 0

  constructor(samples: Int16Array, rate: number, loop: boolean) {
    this.#samples = samples
    this.rate = rate
    this.#loop = loop && samples.length > 0
  }

  get ended(): boolean {
    return this.#position >= this.#samples.length
  }

  read(into: Int16Array, at: number): number {
    const samples = this.#samples
    const count = Math.min(into.length - at, samples.length - this.#position)
    for (let i = 0; i < count; i++) into[at + i] = samples[this.#position + i]!
    this.#position += count
    if (this.#loop && this.ended) this.#position = 0
    return count
  }
}

/** A sound written by another thread. While muted, its time continues in silence. */
export class RingSource implements SoundSource {
  readonly rate: number
  readonly #ring: SampleRing
  readonly #inputMuted: () => boolean

  constructor(ring: SampleRing, rate: number, hushed: () => boolean = () => false) {
    this.#ring = ring
    this.rate = rate
    this.#inputMuted = hushed
  }

  get ended(): boolean {
    return this.#ring.ended && this.#ring.available === 0
  }

  read(into: Int16Array, at: number): number {
    const count = this.#ring.read(at === 0 ? into : into.subarray(at))
    if (this.#inputMuted()) into.fill(0, at, at + count)
    return count
  }
}

/** A resampled sound. It is read in frames; the last one is padded with silence. */
export class ConvertedSource implements SoundSource {
  readonly rate: number
  readonly #source: SoundSource
  readonly #resampler: Resampler
  readonly #original: Int16Array
  readonly #converted: Int16Array
  #next: number

  constructor(source: SoundSource, rate: number) {
    this.rate = rate
    this.#source = source
    this.#resampler = new Resampler(source.rate, rate)
    this.#original = new Int16Array(source.rate / framesPerSecond)
    this.#converted = new Int16Array(rate / framesPerSecond)
    this.#next = this.#converted.length
  }

  get ended(): boolean {
    return this.#source.ended && this.#next === this.#converted.length
  }

  read(into: Int16Array, at: number): number {
    let filled = at
    while (filled < into.length) {
      if (this.#next === this.#converted.length && !this.#convert()) break
      const count = Math.min(into.length - filled, this.#converted.length - this.#next)
      for (let i = 0; i < count; i++) into[filled + i] = this.#converted[this.#next + i]!
      this.#next += count
      filled += count
    }
    return filled - at
  }

  #convert(): boolean {
    let count = 0
    while (count < this.#original.length && !this.#source.ended) {
      const more = this.#source.read(this.#original, count)
      if (more === 0) break
      count += more
    }
    if (count === 0) return false
    this.#original.fill(0, count)
    this.#resampler.process(this.#original, this.#converted)
    this.#next = 0
    return true
  }
}
