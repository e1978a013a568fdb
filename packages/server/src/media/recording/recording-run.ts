import { Converter } from '../codec/converter.ts'
import { DiskFile } from './disk-file.ts'
import { Recorder } from './recorder.ts'

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
  /** What the disk said; it says it before the recording is stopped when it is full. */
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

  /** There is a file to write to. */
  get open(): boolean {
    return this.#recorder !== undefined
  }

  write(channel: 0 | 1, frame: number, pcm: Int16Array): void {
    const converter = this.#converters[channel]
    if (converter) this.#recorder?.write(channel, frame, converter.convert(pcm))
  }

  /** `endFrame`: the first one that does not belong to it. */
  stop(endFrame: number): void {
    if (this.#stopped) return
    this.#stopped = true
    if (!this.#recorder) return this.#done(this.#result)
    this.#result = this.#recorder.stop(endFrame)
    if (this.#onDiskMs) this.#finish(this.#onDiskMs.kept)
  }

  readonly #onDisk = (retentionMs: number | undefined): void => {
    this.#onDiskMs = { kept: retentionMs }
    if (this.#stopped) this.#finish(retentionMs)
  }

  #finish(retentionMs: number | undefined): void {
    this.#done(retentionMs === undefined ? this.#result : { durationMs: retentionMs, truncated: true })
  }
}
