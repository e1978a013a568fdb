/** The message names the expected and the actual format, for the file's owner. */
export class WavRefused extends Error {
  override name = 'WavRefused'
}

interface PcmWav {
  rate: number
  /** Little endian, 16 bit. */
  samples: Buffer
}

const bytesPerSample = 2
const pcm = 1
const extensible = 0xfffe
/** PCM subformat of the extensible form (Microsoft, KSDATAFORMAT_SUBTYPE_PCM). */
const pcmSubformat = Buffer.from('0100000000001000800000aa00389b71', 'hex')
const unknownLength = 0xffffffff
const maxChunks = 100

interface WavWanted {
  rates: readonly number[]
  /** Accepts a file written before its length was known, up to its actual end. */
  endless?: boolean
  maxSeconds?: number
  /** Maximum offset of the audio data in bytes. */
  headBytes?: number
}

/** Limits for a customer's file that is played in calls. */
export const heardInCalls: WavWanted = { rates: [8000], maxSeconds: 600, headBytes: 64 * 1024 }

/** Reads mono 16-bit PCM at one of these rates. Lengths in the file are checked against the actual bytes. Throws WavRefused. */
export const readPcmWav = (file: Buffer, input: WavWanted): PcmWav => {
  const { rates, maxSeconds = Infinity } = input
  const wanted = `must be a WAV file with 16-bit PCM, mono, ${rates.join(' or ')} Hz`
  try {
    if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') throw new WavRefused('this is no WAV file')
    const sound = soundOf(file, input)
    if (sound.samples.length > maxSeconds * sound.rate * bytesPerSample)
      throw new WavRefused(`this one is longer than ${maxSeconds} seconds`)
    return sound
  } catch (error) {
    throw error instanceof WavRefused ? new WavRefused(`${wanted}; ${error.message}`) : error
  }
}

/** Walks the chunks up to the audio; the format must precede it. */
const soundOf = (file: Buffer, { rates, endless = false, headBytes = Infinity }: WavWanted): PcmWav => {
  let rate: number | undefined
  let chunks = 0
  for (let at = 12; at + 8 <= file.length;) {
    if (++chunks > maxChunks) throw new WavRefused(`this one has more than ${maxChunks} parts before the sound`)
    if (at + 8 > headBytes) throw new WavRefused(`the sound of this one does not begin within the first ${headBytes} bytes`)
    const id = file.toString('latin1', at, at + 4)
    const declared = file.readUInt32LE(at + 4)
    const length = endless && id === 'data' && declared === unknownLength ? file.length - at - 8 : declared
    const chunk = file.subarray(at + 8, at + 8 + length)
    if (chunk.length < length)
      throw new WavRefused(`this one is cut off: its ${JSON.stringify(id)} part lacks ${length - chunk.length} bytes`)
    if (id === 'fmt ') rate = rateOf(chunk, rates)
    else if (id === 'data') {
      if (rate === undefined) throw new WavRefused('this one does not say its format before the sound')
      return { rate, samples: wholeSamples(chunk) }
    }
    at += 8 + length + (length % 2) // chunks are aligned to 2 bytes
  }
  throw new WavRefused('this one holds no sound')
}

const rateOf = (format: Buffer, rates: readonly number[]): number => {
  if (format.length < 16) throw new WavRefused('the format part of this one is too short')
  const tag = format.readUInt16LE(0)
  const channels = format.readUInt16LE(2)
  const rate = format.readUInt32LE(4)
  const bits = format.readUInt16LE(14)
  const isPcm = tag === pcm || (tag === extensible && format.subarray(24, 40).equals(pcmSubformat))
  if (isPcm && channels === 1 && rates.includes(rate) && bits === 8 * bytesPerSample) return rate
  const coding = isPcm ? `${bits}-bit PCM` : `coding ${tag} with ${bits} bits`
  throw new WavRefused(`found ${coding}, ${channelNames[channels] ?? `${channels} channels`}, ${rate} Hz`)
}

const channelNames: Record<number, string> = { 1: 'mono', 2: 'stereo' }

const wholeSamples = (sound: Buffer): Buffer => {
  if (sound.length === 0) throw new WavRefused('the sound of this one is empty')
  if (sound.length % bytesPerSample !== 0) throw new WavRefused('the sound of this one ends in the middle of a sample')
  return sound
}

/** Buffer skips invalid base64; re-encoding shows whether it did. */
export const decodeBase64 = (content: string): Buffer => {
  const bytes = Buffer.from(content, 'base64')
  if (bytes.toString('base64') !== content) throw new WavRefused('is not valid base64')
  return bytes
}

/** All supported machines are little endian. */
export const toSamples = (bytes: Buffer): Int16Array => new Int16Array(new Uint8Array(bytes).buffer)

/** Builds a complete file: one channel, 16 bit. */
export const pcmWav = (pieces: readonly Int16Array[], rate: number): Buffer => {
  const dataBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + dataBytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20) // PCM
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(dataBytes, 40)
  return Buffer.concat([head, ...pieces.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))])
}
