import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resampleSound } from '#media/codec/resample.ts'
import { parseWav, readWav, type Wav } from '#test/sound/wav.ts'
import { demand, oggDecoder } from './packages.ts'
import { sampleRate } from './recording.ts'

const run = promisify(execFile)
const maxBytes = 256 * 1024 ** 2

/** Reads a WAV or Ogg file as telephone sound: one channel, 8 kHz. */
export const readSound = async (file: string): Promise<Int16Array<ArrayBuffer>> =>
  mono(file.endsWith('.ogg') ? await readOgg(file) : await readWav(file))

const readOgg = async (file: string): Promise<Wav> => {
  demand(oggDecoder)
  const { stdout } = await run(oggDecoder.file, ['-Q', '-o', '-', file], { encoding: 'buffer', maxBuffer: maxBytes })
  return parseWav(stdout)
}

const mono = ({ rate, channels }: Wav): Int16Array<ArrayBuffer> => {
  const length = channels[0]?.length ?? 0
  const mixed = Int16Array.from({ length }, (_, at) => {
    const sum = channels.reduce((total, channel) => total + (channel[at] ?? 0), 0)
    return Math.round(Math.max(-1, Math.min(1, sum / channels.length)) * 32_767)
  })
  return rate === sampleRate ? mixed : Int16Array.from(resampleSound(mixed, rate, sampleRate))
}

/** Trims silence: starts and ends 38 dB below the loudest sample, with a short margin. */
export const trimmed = (sound: Int16Array<ArrayBuffer>): Int16Array<ArrayBuffer> => {
  const min = Math.max(1, sound.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / 80)
  const loud = (value: number): boolean => Math.abs(value) >= min
  const last = sound.findLastIndex(loud)
  return last < 0 ? sound.subarray(0, 0) : sound.subarray(Math.max(0, sound.findIndex(loud) - 160), last + 240)
}

export const louder = (sound: Int16Array<ArrayBuffer>, decibels: number): Int16Array<ArrayBuffer> => {
  const gain = 10 ** (decibels / 20)
  return sound.map((value) => Math.max(-32_768, Math.min(32_767, Math.round(value * gain))))
}
