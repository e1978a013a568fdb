import type { CodecName } from '../engine.ts'
import { Resampler } from './resample.ts'

/** Both directions of one stream: a codec may keep state, so every stream has its own. */
export interface Codec {
  readonly name: CodecName
  /** Rate of RTP timestamps; may differ from the sample rate (G.722, Opus). */
  readonly clockRate: number
  readonly sampleRate: number
  /** Encodes all of `pcm` to `into` from `at` on; returns the bytes written. */
  encode(pcm: Int16Array, into: Uint8Array, at: number): number
  /** Decodes `bytes[start, end)` to `into` from `at` on; returns the samples written, 0 for an unreadable payload. */
  decode(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number
  /** Number of samples that `decode` would return. */
  samples(bytes: Uint8Array, start: number, end: number): number
  /** Conceals the lost `into[at, end)`; the jitter buffer conceals for codecs without it. */
  conceal?(into: Int16Array, at: number, end: number): void
  /** Restores the previous packet from the redundancy in this one; returns the samples written. */
  recover?(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number
  close(): void
}

/** Frames are 20 ms everywhere in this folder. */
export const framesPerSecond = 50

/** Resamples the frames of a stream to one rate. The returned frame is valid until the next call. */
export class Converter {
  readonly to: number
  #resampler: Resampler | undefined
  readonly #converted: Int16Array

  constructor(to: number) {
    this.to = to
    this.#converted = new Int16Array(to / framesPerSecond)
  }

  convert(frame: Int16Array): Int16Array {
    if (frame.length === this.#converted.length) return frame
    const from = frame.length * framesPerSecond
    if (this.#resampler?.from !== from) this.#resampler = new Resampler(from, this.to)
    this.#resampler.process(frame, this.#converted)
    return this.#converted
  }
}
