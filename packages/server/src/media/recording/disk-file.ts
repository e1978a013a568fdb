import { close, closeSync, fstatSync, ftruncateSync, openSync, readSync, write, writeSync } from 'node:fs'
import type { RecordingFile } from './recorder.ts'
import { repairWav } from './repair-wav.ts'

/** How many writes of half a second may wait for a slow disk. */
const maxQueued = 20

/** How it ended on the disk. `keptMs` is there when not everything could be written. */
export type Finished = (retentionMs: number | undefined) => void

interface Part {
  bytes: Uint8Array
  length: number
  position: number
}

/** Half a second of two wideband channels. */
const partBytes = 32_000
/** Used again and again: with some hundred recordings the garbage would stop the thread for milliseconds, every second. */
const spareParts: Uint8Array[] = []

const copyOf = (bytes: Uint8Array, offset: number, length: number): Uint8Array => {
  if (length > partBytes) return bytes.slice(offset, offset + length)
  const copy = spareParts.pop() ?? new Uint8Array(partBytes)
  copy.set(bytes.subarray(offset, offset + length))
  return copy
}

/** A file that is written without waiting for the disk: the thread has packets to send. What the disk refuses later ends the recording then. */
export class DiskFile implements RecordingFile {
  readonly #descriptor: number
  readonly #finished: Finished
  readonly #waiting: Part[] = []
  #writing = false
  #closed = false
  /** Something was not written; then the header is made from what is there. */
  #incomplete = false
  /** Everything before this place is on the disk. */
  #failedAt: number | undefined

  /** Throws when the file cannot be made. */
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

  /** One at a time: the header is written twice, and the second one has to win. */
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
    const retentionMs = this.#incomplete ? this.#repair() : undefined
    close(this.#descriptor, () => this.#finished(retentionMs))
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

/** A recording whose thread died: makes it playable and says how long it is. */
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
