import type { OpenRecording } from '#core/kernel/ports/recording-files.ts'

const headerBytes = 44
/** No voicemail lasts longer; of anything that does, the beginning is enough. */
const maxSeconds = 15 * 60

/** The sound of a message as we write it, at 8 kHz; undefined when there is nothing in the file. */
export const readMessage = async (file: OpenRecording): Promise<Int16Array<ArrayBuffer> | undefined> => {
  const header = await file.read(0, headerBytes)
  if (header.length < headerBytes) return undefined
  const view = new DataView(header.buffer, header.byteOffset, headerBytes)
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)]
  if (channels < 1 || rate % 8_000 !== 0) return undefined
  const bytes = await read(file, Math.min(file.bytes - headerBytes, maxSeconds * rate * channels * 2))
  // Every n-th sample of the first channel: the sound came over a telephone, so that there is nothing above 4 kHz to be folded down.
  const step = channels * (rate / 8_000) * 2
  const sound = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Int16Array.from({ length: Math.floor(bytes.length / step) }, (_, at) => sound.getInt16(at * step, true))
}

/** Stores may give less than was asked for. */
const read = async (file: OpenRecording, wanted: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  for (let got = 0; got < wanted;) {
    const piece = await file.read(headerBytes + got, wanted - got)
    if (piece.length === 0) break
    pieces.push(piece)
    got += piece.length
  }
  return Buffer.concat(pieces)
}
