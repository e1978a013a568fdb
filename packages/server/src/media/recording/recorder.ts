import { framesPerSecond } from '../codec/codec.ts'
import { wavHeaderBytes, writeWavHeader } from '../sound/wav.ts'

/** The little of a file that a recording needs. */
export interface RecordingFile {
  /** As fs.writeSync: returns what it could write, throws when it could nothing. */
  write(bytes: Uint8Array, offset: number, length: number, position: number): number
  close(): void
}

export interface RecorderOptions {
  channels: 1 | 2
  rate: number
  /** Number of the frame with which the recording begins. */
  firstFrame: number
}

/** Frames wait here for their companions of the other channel, and for enough of them to be worth a write: half a second each. */
const windowFrames = 50
const flushedFrames = windowFrames / 2
const maxDataBytes = 0xffffffff - wavHeaderBytes

/** Writes frames to a WAV file, each at the place of its time; where none came there is silence. */
export class Recorder {
  /** The file could not take all: the disk is full, or the format has no room for more. */
  truncated = false
  readonly #file: RecordingFile
  readonly #channels: number
  readonly #rate: number
  readonly #frameSamples: number
  /** Interleaved. Read as bytes: all machines this runs on are little-endian, as WAV is. */
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

  /** Sounds of the same channel and frame are mixed. Frames that come half a second late are dropped. */
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

  /** `endFrame`: the first one that does not belong to it; the time until there is recorded as silence. */
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
    const whole = this.#written + samples * 2 <= maxDataBytes && this.#writeAll(this.#bytes, samples * 2)
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

  /** A header that is there already can be changed even on a full disk. */
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
