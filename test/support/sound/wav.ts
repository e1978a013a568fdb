import { open, readFile, writeFile, type FileHandle } from 'node:fs/promises'

/** Samples from -1 to 1, one list per channel. */
export interface Wav {
  rate: number
  channels: Float32Array[]
}

const headerBytes = 44

/** WAV file with 16 bit, one channel. */
const wavOf = (samples: Int16Array, rate: number): Buffer => {
  const header = Buffer.alloc(headerBytes)
  writeHeader(header, rate, samples.byteLength)
  return Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)])
}

/** Tone at half of full scale. */
export const toneWav = ({ hz, seconds, rate = 8000 }: { hz: number; seconds: number; rate?: number }): Buffer =>
  wavOf(
    Int16Array.from({ length: rate * seconds }, (_, i) => Math.round(16_000 * Math.sin((2 * Math.PI * hz * i) / rate))),
    rate,
  )

export const silentWav = ({ seconds, rate = 8000 }: { seconds: number; rate?: number }): Buffer =>
  wavOf(new Int16Array(seconds * rate), rate)

/** Writes such a tone to a file; long ones repeat one second. */
export const writeTone = async (file: string, { hz, seconds, rate }: { hz: number; seconds: number; rate: number }): Promise<void> => {
  const samples = Int16Array.from({ length: rate }, (_, i) => Math.round(16_000 * Math.sin((2 * Math.PI * hz * i) / rate)))
  const header = Buffer.alloc(headerBytes)
  writeHeader(header, rate, seconds * rate * 2)
  const second = Buffer.from(samples.buffer)
  await withFile(file, (handle) => handle.writeFile(Buffer.concat([header, ...Array.from({ length: seconds }, () => second)])))
}

/** Writes 16 bit, mono. */
export const writeSamples = (file: string, samples: Int16Array, rate: number): Promise<void> => writeFile(file, wavOf(samples, rate))

const writeHeader = (bytes: Buffer, rate: number, dataBytes: number): void => {
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(headerBytes - 8 + dataBytes, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(dataBytes, 40)
}

const withFile = async (file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> => {
  const handle = await open(file, 'w')
  try {
    await work(handle)
  } finally {
    await handle.close()
  }
}

/** Reads 16-bit PCM and G.711, also from files that are still being written, whose header lacks the length. */
export const readWav = async (file: string): Promise<Wav> => parseWav(await readFile(file))

export const parseWav = (bytes: Buffer): Wav => {
  let format: { code: number; channels: number; rate: number } | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const start = at + 8
    if (name === 'fmt ')
      format = { code: bytes.readUInt16LE(start), channels: bytes.readUInt16LE(start + 2), rate: bytes.readUInt32LE(start + 4) }
    if (name === 'data' && format) {
      const end = size === 0 ? bytes.length : Math.min(bytes.length, start + size)
      return { rate: format.rate, channels: split(decode(bytes.subarray(start, end), format.code), format.channels) }
    }
    at = start + size + (size % 2)
  }
  throw new Error('not a WAV file')
}

const decode = (data: Buffer, code: number): Float32Array => {
  if (code === 1) return decodePcm(data)
  if (code === 6) return Float32Array.from(data, alaw)
  if (code === 7) return Float32Array.from(data, mulaw)
  throw new Error(`WAV format ${code} is not read here`)
}

const decodePcm = (data: Buffer): Float32Array => {
  const samples = new Float32Array(data.length >> 1)
  for (let i = 0; i < samples.length; i++) samples[i] = data.readInt16LE(i * 2) / 32_768
  return samples
}

/** ITU-T G.711, table 1a. */
const alaw = (byte: number): number => {
  const bits = byte ^ 0x55
  const exponent = (bits >> 4) & 7
  const mantissa = ((bits & 15) << 4) + 8
  const value = exponent === 0 ? mantissa : (mantissa + 256) << (exponent - 1)
  return ((bits & 0x80) !== 0 ? value : -value) / 32_768
}

/** ITU-T G.711, table 2a. */
const mulaw = (byte: number): number => {
  const bits = ~byte & 0xff
  const value = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
  return ((bits & 0x80) !== 0 ? -value : value) / 32_768
}

const split = (samples: Float32Array, channels: number): Float32Array[] =>
  channels === 1 ? [samples] : Array.from({ length: channels }, (_, channel) => samples.filter((_sample, i) => i % channels === channel))
