import { createHash } from 'node:crypto'
import type { MadeSpeech } from '#core/kernel/ports/assistant/speech-archive.ts'

/** Names the format and its version. */
const magic = Buffer.from('OHS1')
const rateAt = magic.length
const sumAt = rateAt + 4
const sumBytes = 16
const headerBytes = sumAt + sumBytes

/** A header, then the samples: 16 bit, little-endian. */
export const writeSoundFile = ({ rate, samples }: MadeSpeech): Buffer => {
  const file = Buffer.alloc(headerBytes + samples.byteLength)
  magic.copy(file)
  file.writeUInt32LE(rate, rateAt)
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).copy(file, headerBytes)
  sumOf(file).copy(file, sumAt)
  return file
}

/** Undefined: it is damaged, or of another kind. */
export const readSoundFile = (file: Buffer): MadeSpeech | undefined => {
  if (file.length < headerBytes || !file.subarray(0, rateAt).equals(magic)) return undefined
  if (!sumOf(file).equals(file.subarray(sumAt, headerBytes))) return undefined
  const rate = file.readUInt32LE(rateAt)
  if ((rate !== 8000 && rate !== 16_000) || (file.length - headerBytes) % 2 !== 0) return undefined
  return { rate, samples: new Int16Array(Uint8Array.from(file.subarray(headerBytes)).buffer) }
}

/** Of everything but itself. */
const sumOf = (file: Buffer): Buffer =>
  createHash('sha256').update(file.subarray(0, sumAt)).update(file.subarray(headerBytes)).digest().subarray(0, sumBytes)
