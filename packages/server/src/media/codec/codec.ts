import type { CodecName } from '../engine.ts'

/** One direction pair of one stream: a codec may keep state, so every stream has its own. */
export interface Codec {
  readonly name: CodecName
  /** Of RTP timestamps; not always the rate of the samples (G.722, Opus). */
  readonly clockRate: number
  readonly sampleRate: number
  /** Encodes all of `pcm` to `into` from `at` on; returns the bytes written. */
  encode(pcm: Int16Array, into: Uint8Array, at: number): number
  /** Decodes `bytes[start, end)` to `into` from `at` on; returns the samples written, 0 when the payload cannot be read. */
  decode(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number
  /** How many samples `decode` would give. */
  samples(bytes: Uint8Array, start: number, end: number): number
  /** Makes up `into[at, end)` for what was lost; codecs without it are concealed by the jitter buffer. */
  conceal?(into: Int16Array, at: number, end: number): void
  /** Restores the packet before this one from what this one repeats of it; returns the samples written. */
  recover?(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number
  close(): void
}

/** Frames are 20 ms everywhere in this folder. */
export const framesPerSecond = 50
