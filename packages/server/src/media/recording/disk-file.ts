import { close, closeSync, fstatSync, ftruncateSync, openSync, readSync, write, writeSync } from 'node:fs'
import { type RecordingFile, repairWav, Recorder } from './recorder.ts'
import { Converter } from '../codec/codec.ts'

/** Maximum queued writes, half a second each, for a slow disk. */
const maxQueued = 20

/** Called when the file is closed. `keptMs` is set if the file is incomplete. */
type Finished = (keptMs: number | undefined) => void

interface Part {
  bytes: Uint8Array
  length: number
  position: number
}

/** Half a second of two wideband channels. */
const partBytes = 32_000
/** Reused: with some hundred recordings garbage collection would stop the thread for milliseconds every second. */
const spareParts: Uint8Array[] = []

const copyOf = (bytes: Uint8Array, offset: number, length: number): Uint8Array => {
  if (length > partBytes) return bytes.slice(offset, offset + length)
  const copy = spareParts.pop() ?? new Uint8Array(partBytes)
  copy.set(bytes.subarray(offset, offset + length))
  return copy
}

/** Writes a file without blocking on the disk: the thread has packets to send. A later write error ends the recording. */
class DiskFile implements RecordingFile {
  readonly #descriptor: number
  readonly #finished: Finished
  readonly #waiting: Part[] = []
  #writing = false
  #closed = false
  /** A write failed; the header is then made from the file's length. */
  #incomplete = false
  /** Everything before this position is on disk. */
  #failedAt: number | undefined

  /** Throws when the file cannot be created. */
  constructor(path: string, finished: Finished) {
    this.#descriptor = openSync(path, 'w+', 0o600)
    this.#finished = finished
  }

  write(bytes: Uint8Array, offset: number, length: number, position: number): number {
    if (this.#waiting.length >= maxQueued) this.#incomplete = true
    if (this.#incomplete) return 0
    this.#waiting.push({ bytes: copyOf(bytes, offset, length), length, position })
    if (!this.#writing) this.#next()
    return length
  }

  close(): void {
    this.#closed = true
    if (!this.#writing) this.#end()
  }

  /** One at a time: the header is written twice, and the second write must win. */
  #next(): void {
    const part = this.#waiting.shift()
    this.#writing = part !== undefined
    if (part) this.#put(part)
    else if (this.#closed) this.#end()
  }

  #put({ bytes, length, position }: Part): void {
    write(this.#descriptor, bytes, 0, length, position, (error, count) => {
      if (bytes.length === partBytes) spareParts.push(bytes)
      if (error || count < length) {
        this.#incomplete = true
        this.#failedAt = position + (error ? 0 : count)
        this.#waiting.length = 0
      }
      this.#next()
    })
  }

  #end(): void {
    const keptMs = this.#incomplete ? this.#repair() : undefined
    close(this.#descriptor, () => this.#finished(keptMs))
  }

  #repair(): number {
    try {
      if (this.#failedAt !== undefined) ftruncateSync(this.#descriptor, this.#failedAt)
      return repairOpen(this.#descriptor)
    } catch {
      return 0
    }
  }
}

const repairOpen = (descriptor: number): number =>
  repairWav({
    size: () => fstatSync(descriptor).size,
    read: (into, offset, length, position) => readSync(descriptor, into, offset, length, position),
    write: (bytes, offset, length, position) => writeSync(descriptor, bytes, offset, length, position),
  }).durationMs

/** Makes the recording of a dead thread playable and returns its duration. */
export const repairFile = (path: string): number => {
  try {
    const descriptor = openSync(path, 'r+')
    try {
      return repairOpen(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return 0
  }
}

export interface RecordingResult {
  durationMs: number
  truncated: boolean
}

/** One recording on a media thread: frames of any rate, placed by their number. */
export class RecordingRun {
  readonly channels: 1 | 2
  readonly #recorder: Recorder | undefined
  readonly #converters: Converter[]
  readonly #done: (result: RecordingResult) => void
  #result: RecordingResult = { durationMs: 0, truncated: true }
  #stopped = false
  /** Result of the disk; it arrives before the stop when the disk is full. */
  #onDiskMs: { kept: number | undefined } | undefined

  constructor(path: string, channels: 1 | 2, rate: number, firstFrame: number, done: (result: RecordingResult) => void) {
    this.channels = channels
    this.#done = done
    this.#converters = Array.from({ length: channels }, () => new Converter(rate))
    try {
      this.#recorder = new Recorder(new DiskFile(path, this.#onDisk), { channels, rate, firstFrame })
    } catch {
      this.#recorder = undefined
    }
  }

  /** The file could be created. */
  get open(): boolean {
    return this.#recorder !== undefined
  }

  write(channel: 0 | 1, frame: number, pcm: Int16Array): void {
    const converter = this.#converters[channel]
    if (converter) this.#recorder?.write(channel, frame, converter.convert(pcm))
  }

  /** `endFrame`: the first frame after the recording. */
  stop(endFrame: number): void {
    if (this.#stopped) return
    this.#stopped = true
    if (!this.#recorder) return this.#done(this.#result)
    this.#result = this.#recorder.stop(endFrame)
    if (this.#onDiskMs) this.#finish(this.#onDiskMs.kept)
  }

  readonly #onDisk = (keptMs: number | undefined): void => {
    this.#onDiskMs = { kept: keptMs }
    if (this.#stopped) this.#finish(keptMs)
  }

  #finish(keptMs: number | undefined): void {
    this.#done(keptMs === undefined ? this.#result : { durationMs: keptMs, truncated: true })
  }
}
