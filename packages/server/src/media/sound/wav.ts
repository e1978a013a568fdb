import { G711 } from '../codec/g711.ts'
import { resampleSound } from '../codec/resample.ts'

export const maxWavBytes = 10 * 1024 * 1024
const maxWavSeconds = 600
export const wavHeaderBytes = 44
/** Limit of the format. */
export const maxWavDataBytes = 0xffffffff - wavHeaderBytes

/** Describes the fault of a file for its owner. */
export class WavError extends Error {
  override name = 'WavError'
}

interface Wav {
  rate: number
  /** One channel: two are mixed. */
  samples: Int16Array
}

interface Format {
  encoding: 'PCM8' | 'PCM16' | 'PCMA' | 'PCMU'
  channels: number
  rate: number
}

const rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const encodings: Record<string, Format['encoding']> = { '1:8': 'PCM8', '1:16': 'PCM16', '6:8': 'PCMA', '7:8': 'PCMU' }
const extensible = 0xfffe
const maxChunks = 1000

const tagAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))

/** PCM with 8 or 16 bits, A-law or µ-law; one or two channels; the usual rates. Skips other chunks. Throws WavError. */
export const readWav = (bytes: Uint8Array): Wav => {
  if (bytes.length > maxWavBytes) throw new WavError(`The file has more than ${maxWavBytes} bytes.`)
  if (bytes.length < 12 || tagAt(bytes, 0) !== 'RIFF' || tagAt(bytes, 8) !== 'WAVE') throw new WavError('This is not a WAV file.')
  const { format, data } = findChunks(bytes)
  const width = format.encoding === 'PCM16' ? 2 : 1
  const frames = Math.floor(data.length / (width * format.channels))
  if (frames === 0) throw new WavError('The file contains no audio.')
  if (frames > maxWavSeconds * format.rate) throw new WavError(`The file is longer than ${maxWavSeconds} seconds.`)
  return { rate: format.rate, samples: mixChannels(decode(format, data.subarray(0, frames * width * format.channels)), format.channels) }
}

/** Separate channels of any length. Throws WavError. */
export const readChannels = (bytes: Uint8Array): { rate: number; channels: Int16Array<ArrayBuffer>[] } => {
  if (bytes.length < 12 || tagAt(bytes, 0) !== 'RIFF' || tagAt(bytes, 8) !== 'WAVE') throw new WavError('This is not a WAV file.')
  const { format, data } = findChunks(bytes)
  const { channels: count, rate } = format
  const width = format.encoding === 'PCM16' ? 2 : 1
  const samples = decode(format, data.subarray(0, Math.floor(data.length / (width * count)) * width * count))
  const channels = Array.from({ length: count }, (_, nth) =>
    Int16Array.from({ length: samples.length / count }, (_sample, at) => samples[at * count + nth]!),
  )
  return { rate, channels }
}

/** One channel at the wanted rate. */
export const readSound = (bytes: Uint8Array, rate: number): Int16Array => {
  const wav = readWav(bytes)
  return resampleSound(wav.samples, wav.rate, rate)
}

/** The 44 bytes before 16 bit PCM. */
export const writeWavHeader = (into: Uint8Array, channels: number, rate: number, dataBytes: number): void => {
  const view = new DataView(into.buffer, into.byteOffset, wavHeaderBytes)
  new TextEncoder().encodeInto('RIFF', into)
  view.setUint32(4, dataBytes + wavHeaderBytes - 8, true)
  new TextEncoder().encodeInto('WAVEfmt ', into.subarray(8))
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  new TextEncoder().encodeInto('data', into.subarray(36))
  view.setUint32(40, dataBytes, true)
}

/** A whole file in memory. */
export const wavFile = (samples: Int16Array, rate: number): Uint8Array => {
  const bytes = new Uint8Array(wavHeaderBytes + samples.byteLength)
  writeWavHeader(bytes, 1, rate, samples.byteLength)
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), wavHeaderBytes)
  return bytes
}

const findChunks = (bytes: Uint8Array): { format: Format; data: Uint8Array } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let format: Format | undefined
  let at = 12
  for (let chunk = 0; chunk < maxChunks && at + 8 <= bytes.length; chunk++) {
    const tag = tagAt(bytes, at)
    const size = view.getUint32(at + 4, true)
    const start = at + 8
    if (tag === 'fmt ') format = readFormat(view, start, Math.min(size, bytes.length - start))
    if (tag === 'data') {
      if (!format) throw new WavError('The audio comes before the description of its format.')
      // A program that writes to a pipe does not know the length: the actual length counts.
      return { format, data: bytes.subarray(start, Math.min(bytes.length, start + size)) }
    }
    at = start + size + (size & 1)
  }
  throw new WavError(format ? 'The file contains no audio.' : 'The file does not say what format its audio has.')
}

const readFormat = (view: DataView, at: number, size: number): Format => {
  if (size < 16) throw new WavError('The description of the format is cut off.')
  const code = view.getUint16(at, true)
  if (code === extensible && size < 26) throw new WavError('The description of the format is cut off.')
  const effective = code === extensible ? view.getUint16(at + 24, true) : code
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  const encoding = encodings[`${effective}:${bits}`]
  if (!encoding)
    throw new WavError(`Audio of format ${effective} with ${bits} bits is not supported: use PCM with 8 or 16 bits, A-law or µ-law.`)
  if (channels !== 1 && channels !== 2) throw new WavError(`Audio with ${channels} channels is not supported: use one or two.`)
  if (!rates.includes(rate)) throw new WavError(`A rate of ${rate} Hz is not supported: use one of ${rates.join(', ')}.`)
  return { encoding, channels, rate }
}

const decode = ({ encoding }: Format, data: Uint8Array): Int16Array => {
  if (encoding === 'PCM16') return asSamples(data)
  const samples = new Int16Array(data.length)
  if (encoding === 'PCM8') for (let i = 0; i < samples.length; i++) samples[i] = (data[i]! - 128) << 8
  else new G711(encoding).decode(data, 0, data.length, samples, 0)
  return samples
}

/** A view of the file's bytes, if they are aligned: all supported machines are little-endian, as WAV is. */
const asSamples = (data: Uint8Array): Int16Array => {
  const { buffer, byteOffset } = data.byteOffset % 2 === 0 ? data : new Uint8Array(data)
  return new Int16Array(buffer, byteOffset, data.length / 2)
}

const mixChannels = (samples: Int16Array, channels: number): Int16Array => {
  if (channels === 1) return samples
  const mixed = new Int16Array(samples.length / 2)
  for (let i = 0; i < mixed.length; i++) mixed[i] = (samples[2 * i]! + samples[2 * i + 1]!) >> 1
  return mixed
}
