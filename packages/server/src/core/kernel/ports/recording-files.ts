import type { RecordingFile } from './telephony.ts'

/** The files with sound, in one folder for each account; they are written by the telephone side. What they are called is checked here. */
export interface RecordingFiles {
  /** Where the telephone side writes it, on this machine. */
  pathOf(file: RecordingFile): string
  /** It is complete, or as complete as it gets: now it can be kept elsewhere. */
  written(file: RecordingFile): Promise<void>
  /** Undefined when there is none. */
  open(file: RecordingFile): Promise<OpenRecording | undefined>
  /** Makes a file playable that was never closed, and says what is in it; undefined when there is none, or none of ours. */
  measure(file: RecordingFile): Promise<{ durationMs: number; bytes: number } | undefined>
  /**
   * What a process that lost its call has left: as `measure`, but without asking anybody, since the call waits. When the file may lie on another machine
   * it is all zero: that machine brings it, and the sweep measures it then.
   */
  leftBy(file: RecordingFile): Promise<{ durationMs: number; bytes: number } | undefined>
  /** Nothing happens when there is none. Throws when it cannot be removed now. */
  erase(file: RecordingFile): Promise<void>
  /** All that are there, in no order. */
  list(): AsyncIterable<RecordingFile & { changedAt: number }>
  /** How much the disk has and how much of that is free. */
  room(): Promise<{ bytes: number; free: number }>
}

export interface OpenRecording {
  readonly bytes: number
  readonly changedAt: number
  /** Less than `length` only at the end. */
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}
