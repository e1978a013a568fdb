import type { documentKinds } from '@offhook/contract/v3/knowledge.ts'
import type { RecordingFile } from './audio.ts'

/** Metadata of a file. */
export interface BlobFacts {
  bytes: number
  /** Time of the last content change; survives copies. */
  changedAt: number
}

export interface OpenBlob extends BlobFacts {
  /** The requested range, or everything. Leaving the loop early stops reading. */
  content: AsyncIterable<Uint8Array>
}

interface BlobRange {
  first: number
  /** Inclusive. */
  last: number
}

/**
 * Recordings, voicemails and faxes as files under keys: `recordings/<account>/<id>.wav`, `faxes/<account>/<fax>/document.pdf`. Keys are
 * the same in every kind of store, so that any tool can copy files between them.
 */
export interface Blobs {
  /** Visible under its key once it is stored completely; replaces an earlier file. */
  put(key: string, content: AsyncIterable<Uint8Array>, about: { type: string; size?: number; changedAt?: number }): Promise<BlobFacts>
  /** Undefined if the file does not exist. */
  open(key: string, range?: BlobRange): Promise<OpenBlob | undefined>
  size(key: string): Promise<BlobFacts | undefined>
  /** No-op if the file does not exist. */
  remove(key: string): Promise<void>
  /** All files with this key prefix, unordered. */
  list(prefix: string): AsyncIterable<BlobFacts & { key: string }>
  /** URL that serves the file without further authentication for `seconds`; absent for stores that only the service can access. */
  link?(key: string, seconds: number): Promise<string>
}

/** Key segments are plain names, so no key can leave the store's root. */
const safeKey = /^(?:[\w-]{1,64}\/)*[\w-]{1,64}(?:\.[a-z0-9]{1,8})?$/

export const isSafeKey = (key: string): boolean => safeKey.test(key)

/** The file store is unreachable (`away`) or rejects the request (`refused`). The message names the problem for operators. */
export class BlobsFailure extends Error {
  readonly kind: 'away' | 'refused'

  constructor(kind: 'away' | 'refused', message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BlobsFailure'
    this.kind = kind
  }
}

/** Audio files, in one folder per account; the telephony adapter writes them. File names are validated here. */
export interface RecordingFiles {
  /** Name of this data folder for other nodes; undefined without other nodes. */
  readonly place: string | undefined
  /** Local path that the telephony adapter writes to. */
  pathOf(file: RecordingFile): string
  /** The file grows from now on, until `written`. */
  begun(file: RecordingFile): void
  /** The file is complete, or as complete as it gets: it can be stored elsewhere now. */
  written(file: RecordingFile): Promise<void>
  /** Undefined if the file does not exist. Throws a Problem if it is at a machine that is away. */
  open(file: RecordingFile): Promise<OpenRecording | undefined>
  /**
   * Several files as one: each at the time at which it began, silence between them. Leaves out files that do not exist. Throws a Problem
   * if one of them is awaited.
   */
  join(parts: readonly RecordingPart[]): Promise<OpenRecording | undefined>
  /** Repairs a file that was never closed and returns its length; undefined if it does not exist or was not written by us. */
  measure(file: RecordingFile): Promise<MeasuredRecording | undefined>
  /**
   * As `measure`, for the file of a node that lost its call, but without remote lookups, since the call waits. `awaited`, and all zero, if
   * the file may be on another machine.
   */
  leftBy(file: RecordingFile): Promise<(MeasuredRecording & { awaited: boolean }) | undefined>
  /** Stores what is there of a file whose machine does not come back. */
  settle(file: RecordingFile): Promise<void>
  /** No-op if the file does not exist. Throws if it cannot be removed now. */
  erase(file: RecordingFile): Promise<void>
  /** All files, unordered. */
  list(): AsyncIterable<RecordingFile & { changedAt: number }>
  /** Size and free space of the disk in bytes. */
  room(): Promise<{ bytes: number; free: number }>
}

export interface MeasuredRecording {
  durationMs: number
  bytes: number
  /** The end is missing, and may still come. */
  partial?: boolean
}

/** As in StoredRecording. */
export interface RecordingPart extends RecordingFile {
  createdAt: number
  bytes: number
  truncated: boolean
  awaited: boolean
}

export interface OpenRecording {
  readonly bytes: number
  readonly changedAt: number
  /** See `MeasuredRecording`. */
  readonly partial?: boolean
  /** Shorter than `length` only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

export type DocumentKind = (typeof documentKinds)[number]

/** Paragraph with its position. */
export interface Paragraph {
  text: string
  heading?: string
  page?: number
}

/** Passage of a document with its word count. Passages come in order, and before the terms. */
export interface ReadPassage {
  passage: Paragraph
  words: number
}

/** Term of the document with the passages that contain it, as `postings.ts` encodes them. */
export interface ReadTerm {
  term: string
  postings: string
}

/** Thrown if a document cannot be read: the message is for the user who added it. */
export class DocumentUnreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DocumentUnreadable'
  }
}

/** Thrown if the reading process died without reaching a limit. */
export class ReaderDied extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ReaderDied'
  }
}

export interface DocumentInput {
  kind: DocumentKind
  /** Content in chunks. */
  content: Iterable<Buffer> | AsyncIterable<Buffer>
  maxPassages: number
  /** Aborted at shutdown. */
  signal: AbortSignal
}

/** Splits and indexes documents outside of the main thread, with limits on time, processor and memory: their bytes are untrusted. */
export interface DocumentReader {
  read(input: DocumentInput): AsyncIterable<ReadPassage | ReadTerm>
  /** Yields to the event loop: long work calls it every few milliseconds. */
  breathe(): Promise<void>
}
