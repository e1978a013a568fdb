import { setImmediate as turn } from 'node:timers/promises'
import { PieceResampler } from '#media/codec/resample.ts'
import { readWav, WavError } from '#media/sound/wav.ts'
import { badField } from './service-error.ts'

/** The recognisers' rate. */
export const heardRate = 8000
/** Seconds that are converted before other work gets its turn. */
const sliceSeconds = 5

/** Samples of an uploaded file at 8 kHz. Long files are converted in slices: live callers must not wait for them. */
export const decodeSound = async (bytes: Uint8Array): Promise<Int16Array> => {
  const { samples, rate } = read(bytes)
  if (rate === heardRate) return samples
  const converted = new Int16Array(Math.round((samples.length * heardRate) / rate))
  const resampler = new PieceResampler(rate, heardRate)
  let at = 0
  const put = (piece: Int16Array): void => {
    const part = piece.subarray(0, converted.length - at)
    converted.set(part, at)
    at += part.length
  }
  for (let from = 0; from < samples.length; from += sliceSeconds * rate) {
    if (from > 0) await turn()
    put(resampler.add(samples.subarray(from, from + sliceSeconds * rate)))
  }
  put(resampler.end())
  return converted
}

const read = (bytes: Uint8Array): ReturnType<typeof readWav> => {
  try {
    return readWav(bytes)
  } catch (error) {
    if (!(error instanceof WavError)) throw error
    throw badField('file', `${error.message} Send a WAV file: PCM with 8 or 16 bits, A-law or µ-law.`, 'invalid_file')
  }
}
