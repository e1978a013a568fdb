import { Application, createDecoder, createEncoder, Signal, type OpusDecoderHandle, type OpusEncoderHandle } from 'libopus-wasm'
import type { Codec } from './codec.ts'

/** Opus timestamps always count at 48 kHz (RFC 7587 §4.1); wideband speech needs 16 kHz. */
const sampleRate = 16_000
const samplesPerMs = sampleRate / 1000
const maxPacketMs = 120
/** Granularity of concealment in libopus: multiples of 2.5 ms. */
const concealmentStep = 2.5 * samplesPerMs

interface Pair {
  encoder: OpusEncoderHandle
  decoder: OpusDecoderHandle
}

const createPair = async (): Promise<Pair> => ({
  encoder: await createEncoder({
    sampleRate,
    channels: 1,
    application: Application.Voip,
    signal: Signal.Voice,
    bitrate: 32_000,
    complexity: 3,
    fec: true,
    packetLossPercent: 5,
  }),
  decoder: await createDecoder({ sampleRate, channels: 1 }),
})

const spares: Pair[] = []

/**
 * The library creates coders asynchronously, so spares are made in advance. Coders are never reused: they keep state of their old stream.
 */
export const prepareOpus = async (count = 4): Promise<void> => {
  while (spares.length < count) spares.push(await createPair())
}

export class Opus implements Codec {
  readonly name = 'opus'
  readonly clockRate = 48_000
  readonly sampleRate = sampleRate
  readonly #encoder: OpusEncoderHandle
  readonly #decoder: OpusDecoderHandle

  /** Needs a spare pair: see prepareOpus. */
  constructor() {
    const pair = spares.pop()
    if (!pair) throw new Error('No Opus coder is prepared.')
    this.#encoder = pair.encoder
    this.#decoder = pair.decoder
  }

  encode(pcm: Int16Array, into: Uint8Array, at: number): number {
    const packet = this.#encoder.encode(pcm)
    into.set(packet, at)
    return packet.length
  }

  decode(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number {
    return this.#decodeWith(bytes, start, end, into, at, undefined)
  }

  samples(bytes: Uint8Array, start: number, end: number): number {
    return opusPacketMs(bytes, start, end) * samplesPerMs
  }

  conceal(into: Int16Array, at: number, end: number): void {
    if ((end - at) % concealmentStep === 0) into.set(this.#decoder.decodePacketLoss(end - at), at)
    else into.fill(0, at, end)
  }

  /** In-band FEC: a packet may contain the previous one in lower quality. */
  recover(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number {
    const samples = this.samples(bytes, start, end)
    return this.#decodeWith(bytes, start, end, into, at, { decodeFec: true, frameSize: samples })
  }

  close(): void {
    this.#encoder.free()
    this.#decoder.free()
  }

  #decodeWith(
    bytes: Uint8Array,
    start: number,
    end: number,
    into: Int16Array,
    at: number,
    options: { decodeFec: boolean; frameSize: number } | undefined,
  ): number {
    if (this.samples(bytes, start, end) > into.length - at || end <= start) return 0
    try {
      const pcm = this.#decoder.decode(bytes.subarray(start, end), options)
      into.set(pcm, at)
      return pcm.length
    } catch {
      return 0
    }
  }
}

/** Duration of a packet in milliseconds (RFC 6716 §3.1); 0 for an invalid one. */
export const opusPacketMs = (bytes: Uint8Array, start: number, end: number): number => {
  if (end <= start) return 0
  const first = bytes[start]!
  const ms = frameMs(first >> 3) * frameCount(first & 3, bytes, start, end)
  return ms > maxPacketMs ? 0 : ms
}

const frameMs = (configuration: number): number => {
  if (configuration < 12) return [10, 20, 40, 60][configuration & 3]!
  if (configuration < 16) return configuration & 1 ? 20 : 10
  return 2.5 * 2 ** (configuration & 3)
}

const frameCount = (code: number, bytes: Uint8Array, start: number, end: number): number => {
  if (code === 0) return 1
  if (code < 3) return 2
  return end - start > 1 ? bytes[start + 1]! & 63 : 0
}
