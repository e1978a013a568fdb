/** What is known about a file without reading it. */
export interface BlobFacts {
  bytes: number
  /** Of its content, also when it was copied since. */
  changedAt: number
}

export interface OpenBlob extends BlobFacts {
  /** The range that was asked for, or all of it. Leaving the loop early ends the reading. */
  content: AsyncIterable<Uint8Array>
}

export interface BlobRange {
  first: number
  /** Belongs to it. */
  last: number
}

/**
 * Recordings, voicemails and faxes as files under keys: `recordings/<account>/<id>.wav`, `faxes/<account>/<fax>/document.pdf`. The keys are
 * the same wherever they are kept, so that files can be copied from one kind of store to another with any tool.
 */
export interface Blobs {
  /** Seen under its key when all of it is safely there; what was there before is replaced. */
  put(key: string, content: AsyncIterable<Uint8Array>, about: { type: string; size?: number; changedAt?: number }): Promise<BlobFacts>
  /** Undefined when there is none. */
  open(key: string, range?: BlobRange): Promise<OpenBlob | undefined>
  size(key: string): Promise<BlobFacts | undefined>
  /** Nothing happens when there is none. */
  remove(key: string): Promise<void>
  /** All whose key begins so, in no order. */
  list(prefix: string): AsyncIterable<BlobFacts & { key: string }>
  /** An address that gives the file without further proof for so long; stores that are asked by us only have none. */
  link?(key: string, seconds: number): Promise<string>
}

/** Parts of a key are names that lead nowhere else. */
const safeKey = /^(?:[\w-]{1,64}\/)*[\w-]{1,64}(?:\.[a-z0-9]{1,8})?$/

export const isSafeKey = (key: string): boolean => safeKey.test(key)

/** The store of the files cannot be asked now (`away`), or does not do what we want (`refused`). The message names what is wrong, for operators. */
export class BlobsFailure extends Error {
  readonly kind: 'away' | 'refused'

  constructor(kind: 'away' | 'refused', message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BlobsFailure'
    this.kind = kind
  }
}
