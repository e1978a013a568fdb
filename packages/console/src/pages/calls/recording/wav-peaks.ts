export interface WavPicture {
  /** Per channel: the loudest sample of each interval, between -1 and 1. */
  peaks: Float32Array[]
  seconds: number
}

const pieces = 1_200

/** Loudness of a recording over time: read from the samples, because decoding an hour of audio would exhaust the memory. */
export const wavPicture = (bytes: Uint8Array): WavPicture => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { channels, rate, start, length } = readHeader(view)
  const frames = Math.floor(length / (2 * channels))
  const perPiece = Math.max(1, Math.ceil(frames / pieces))
  const count = Math.ceil(frames / perPiece)
  const peaks = Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: count }, (_peak, piece) => {
      const last = Math.min(frames, (piece + 1) * perPiece)
      let peak = 0
      for (let frame = piece * perPiece; frame < last; frame++) {
        const sample = view.getInt16(start + 2 * (frame * channels + channel), true)
        if (Math.abs(sample) > Math.abs(peak)) peak = sample
      }
      return peak / 0x80_00
    }),
  )
  return { peaks, seconds: frames / rate }
}

/** Header of a file written by the service: 16 bit PCM. Throws for other formats. */
const readHeader = (view: DataView): { channels: number; rate: number; start: number; length: number } => {
  let format: { channels: number; rate: number } | undefined
  for (let at = 12; at + 8 <= view.byteLength;) {
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)))
    const length = view.getUint32(at + 4, true)
    const start = at + 8
    if (tag === 'fmt ' && view.getUint16(start, true) === 1 && view.getUint16(start + 14, true) === 16)
      format = { channels: view.getUint16(start + 2, true), rate: view.getUint32(start + 4, true) }
    if (tag === 'data' && format) return { ...format, start, length: Math.min(length, view.byteLength - start) }
    at = start + length + (length % 2)
  }
  throw new Error('this is no 16 bit WAV file')
}
