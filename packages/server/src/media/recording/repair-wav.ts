import { wavHeaderBytes, writeWavHeader } from '../sound/wav.ts'

export interface RepairableFile {
  size(): number
  /** As fs.readSync and fs.writeSync. */
  read(into: Uint8Array, offset: number, length: number, position: number): number
  write(bytes: Uint8Array, offset: number, length: number, position: number): number
}

export interface Repair {
  /** `foreign`: not one of our recordings, left alone. */
  state: 'whole' | 'repaired' | 'foreign'
  durationMs: number
}

/** A recording that was not closed says that it is empty: its length is taken from the file. */
export const repairWav = (file: RepairableFile): Repair => {
  const header = new Uint8Array(wavHeaderBytes)
  const size = file.size()
  if (size < wavHeaderBytes || file.read(header, 0, wavHeaderBytes, 0) < wavHeaderBytes) return { state: 'foreign', durationMs: 0 }
  const view = new DataView(header.buffer)
  const channels = view.getUint16(22, true)
  const rate = view.getUint32(24, true)
  const expected = new Uint8Array(wavHeaderBytes)
  writeWavHeader(expected, channels, rate, view.getUint32(40, true))
  const ours = (channels === 1 || channels === 2) && rate > 0 && differsOnlyInLength(header, expected)
  if (!ours) return { state: 'foreign', durationMs: 0 }
  const blockBytes = channels * 2
  const dataBytes = Math.floor((size - wavHeaderBytes) / blockBytes) * blockBytes
  const durationMs = Math.round((dataBytes / (blockBytes * rate)) * 1000)
  writeWavHeader(expected, channels, rate, dataBytes)
  if (expected.every((byte, index) => byte === header[index])) return { state: 'whole', durationMs }
  file.write(expected, 0, wavHeaderBytes, 0)
  return { state: 'repaired', durationMs }
}

const differsOnlyInLength = (header: Uint8Array, expected: Uint8Array): boolean =>
  header.every((byte, index) => byte === expected[index] || (index >= 4 && index < 8))
