import { framesPerSecond } from '../codec/codec.ts'
import { maxWavDataBytes, wavHeaderBytes, writeWavHeader } from '../sound/wav.ts'

/** The file operations that a recording needs. */
export interface RecordingFile {
  /** Like fs.writeSync: returns the bytes written, throws when none could be written. */
  write(bytes: Uint8Array, offset: number, length: number, position: number): number
  close(): void
}

interface RecorderOptions {
  channels: 1 | 2
  rate: number
  /** Number of the first frame of the recording. */
  firstFrame: number
}

/** Frames wait here for the other channel, and for a worthwhile write: half a second each. */
const windowFrames = 50
const flushedFrames = windowFrames / 2

/** Writes frames to a WAV file, each at the position of its time; gaps are silence. */
export class Recorder {
  /** The file is incomplete: the disk is full, or the format's limit is reached. */
  truncated = false
  readonly #file: RecordingFile
  readonly #channels: number
  readonly #rate: number
  readonly #frameSamples: number
  /** Interleaved. Read as bytes: all supported machines are little-endian, as WAV is. */
  readonly #window: Int16Array
  readonly #bytes: Uint8Array
  #windowStart: number
  #used = 0
  #written = 0
  #closed = false

  constructor(file: RecordingFile, { channels, rate, firstFrame }: RecorderOptions) {
    this.#file = file
    this.#channels = channels
    this.#rate = rate
    this.#frameSamples = rate / framesPerSecond
    this.#window = new Int16Array(windowFrames * this.#frameSamples * channels)
    this.#bytes = new Uint8Array(this.#window.buffer)
    this.#windowStart = firstFrame
    this.#patchHeader()
  }

  /** Mixes sounds of the same channel and frame. Drops frames that are half a second late. */
  write(channel: number, frame: number, pcm: Int16Array): void {
    this.#evict(frame)
    const at = frame - this.#windowStart
    if (this.#closed || at < 0) return
    if (at >= this.#used) this.#used = at + 1
    const window = this.#window
    let place = at * this.#frameSamples * this.#channels + channel
    const count = Math.min(pcm.length, this.#frameSamples)
    for (let i = 0; i < count; i++) {
      const sum = window[place]! + pcm[i]!
      window[place] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum
      place += this.#channels
    }
  }

  /** `endFrame`: the first frame after the recording; the time until then is recorded as silence. */
  stop(endFrame: number): { durationMs: number; truncated: boolean } {
    if (!this.#closed) {
      this.#evict(endFrame - 1)
      this.#used = Math.max(this.#used, endFrame - this.#windowStart)
      this.#flush(this.#used)
      this.#close()
    }
    return { durationMs: Math.round((this.#written / (this.#rate * this.#channels * 2)) * 1000), truncated: this.truncated }
  }

  #evict(frame: number): void {
    while (!this.#closed && frame >= this.#windowStart + windowFrames) this.#flush(flushedFrames)
  }

  #flush(frames: number): void {
    const samples = frames * this.#frameSamples * this.#channels
    const whole = this.#written + samples * 2 <= maxWavDataBytes && this.#writeAll(this.#bytes, samples * 2)
    this.#window.copyWithin(0, samples)
    this.#window.fill(0, this.#window.length - samples)
    this.#windowStart += frames
    this.#used = Math.max(0, this.#used - frames)
    if (whole) return
    this.truncated = true
    this.#close()
  }

  #writeAll(bytes: Uint8Array, length: number): boolean {
    let offset = 0
    try {
      while (offset < length) {
        const count = this.#file.write(bytes, offset, length - offset, wavHeaderBytes + this.#written)
        if (count <= 0) return false
        offset += count
        this.#written += count
      }
      return true
    } catch {
      return false
    }
  }

  /** An existing header can be overwritten even on a full disk. */
  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#written -= this.#written % (this.#channels * 2)
    this.#patchHeader()
    this.#file.close()
  }

  #patchHeader(): void {
    const header = new Uint8Array(wavHeaderBytes)
    writeWavHeader(header, this.#channels, this.#rate, this.#written)
    try {
      if (this.#file.write(header, 0, wavHeaderBytes, 0) < wavHeaderBytes) this.truncated = true
    } catch {
      this.truncated = true
    }
  }
}

interface RepairableFile {
  size(): number
  /** Like fs.readSync and fs.writeSync. */
  read(into: Uint8Array, offset: number, length: number, position: number): number
  write(bytes: Uint8Array, offset: number, length: number, position: number): number
}

export interface Repair {
  /** `foreign`: not one of our recordings, unchanged. */
  state: 'whole' | 'repaired' | 'foreign'
  durationMs: number
}

/** The header of an unclosed recording has length 0: takes the length from the file. */
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
