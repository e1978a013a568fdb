import { Problem } from '@offhook/contract/problem.ts'
import { greetingMaxBytes } from '@offhook/contract/v1/voicemails/voicemail-elements.ts'
import { decodeBase64, readPcmWav, WavRefused } from '#core/kernel/sound/pcm-wav.ts'

export interface GreetingAudio {
  /** The same sound in a file of our own making, in base64. */
  audio: string
  durationMs: number
}

const sampleRate = 8000
const bytesPerSample = 2

/** Reads an uploaded greeting. */
export const readGreeting = (base64Content: string): GreetingAudio => {
  try {
    const file = decodeBase64(base64Content)
    if (file.length > greetingMaxBytes) throw new WavRefused(`is ${file.length} bytes long; at most ${greetingMaxBytes} are accepted`)
    const { samples } = readPcmWav(file, { rates: [sampleRate] })
    return { audio: wavFile(samples).toString('base64'), durationMs: Math.round((samples.length / bytesPerSample / sampleRate) * 1000) }
  } catch (error) {
    throw error instanceof WavRefused ? Problem.field('base64Content', error.message) : error
  }
}

/** Nothing of the upload remains but its samples. */
const wavFile = (samples: Buffer): Buffer => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
