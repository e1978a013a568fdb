import { Problem } from '@offhook/contract/problem.ts'
import { greetingMaxBytes } from '@offhook/contract/v1/voicemail-elements.ts'

export interface GreetingAudio {
  /** The same sound in a file of our own making, in base64. */
  audio: string
  durationMs: number
}

const sampleRate = 8000
const bytesPerSample = 2
const wanted = 'must be a WAV file with 16-bit PCM, mono, 8000 Hz'
const pcm = 1
const extensible = 0xfffe
/** How the extensible form says PCM (Microsoft, KSDATAFORMAT_SUBTYPE_PCM). */
const pcmSubformat = Buffer.from('0100000000001000800000aa00389b71', 'hex')

/** Reads an uploaded greeting. Lengths in the file are only believed as far as there are bytes. */
export const readGreeting = (base64Content: string): GreetingAudio => {
  const file = decode(base64Content)
  if (file.length > greetingMaxBytes) throw refused(`is ${file.length} bytes long; at most ${greetingMaxBytes} are accepted`)
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') throw refused(`${wanted}; this is no WAV file`)
  const samples = soundOf(file)
  return { audio: wavFile(samples).toString('base64'), durationMs: Math.round((samples.length / bytesPerSample / sampleRate) * 1000) }
}

/** Buffer skips what is not base64; writing it back shows whether something was skipped. */
const decode = (content: string): Buffer => {
  const bytes = Buffer.from(content, 'base64')
  if (bytes.toString('base64') !== content) throw refused('is not valid base64')
  return bytes
}

/** Walks the chunks up to the sound: the format must stand before it. */
const soundOf = (file: Buffer): Buffer => {
  let formatKnown = false
  for (let at = 12; at + 8 <= file.length;) {
    const id = file.toString('latin1', at, at + 4)
    const length = file.readUInt32LE(at + 4)
    const chunk = file.subarray(at + 8, at + 8 + length)
    if (chunk.length < length)
      throw refused(`${wanted}; this one is cut off: its ${JSON.stringify(id)} part lacks ${length - chunk.length} bytes`)
    if (id === 'fmt ') {
      requireFormat(chunk)
      formatKnown = true
    } else if (id === 'data') {
      if (!formatKnown) throw refused(`${wanted}; this one does not say its format before the sound`)
      return wholeSamples(chunk)
    }
    at += 8 + length + (length % 2) // chunks begin at even places
  }
  throw refused(`${wanted}; this one holds no sound`)
}

const requireFormat = (format: Buffer): void => {
  if (format.length < 16) throw refused(`${wanted}; the format part of this one is too short`)
  const tag = format.readUInt16LE(0)
  const channels = format.readUInt16LE(2)
  const rate = format.readUInt32LE(4)
  const bits = format.readUInt16LE(14)
  const isPcm = tag === pcm || (tag === extensible && format.subarray(24, 40).equals(pcmSubformat))
  if (isPcm && channels === 1 && rate === sampleRate && bits === 8 * bytesPerSample) return
  const coding = isPcm ? `${bits}-bit PCM` : `coding ${tag} with ${bits} bits`
  throw refused(`${wanted}; found ${coding}, ${channels === 1 ? 'mono' : `${channels} channels`}, ${rate} Hz`)
}

const wholeSamples = (sound: Buffer): Buffer => {
  if (sound.length === 0) throw refused(`${wanted}; the sound of this one is empty`)
  if (sound.length % bytesPerSample !== 0) throw refused(`${wanted}; the sound of this one ends in the middle of a sample`)
  return sound
}

/** Nothing of the upload remains but its samples. */
const wavFile = (samples: Buffer): Buffer => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(pcm, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

const refused = (problem: string): Problem => Problem.field('base64Content', problem)
