import { BlobsFailure, type BlobFacts, type Blobs } from '#core/kernel/ports/files.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { blobReader } from './blob-reader.ts'
import { ifThere, openFile, piecesOf, type FolderBlobs, type OpenFile } from './folder-blobs.ts'
import { recordingsPrefix } from './peer-files.ts'

interface PiecesDeps {
  /** Local folder in which files grow. */
  local: FolderBlobs
  remote: Blobs
  clock: Clock
  /** Called when a piece could not be uploaded: it is tried again. */
  onFailure: (error: Error) => void
}

/** Milliseconds of sound that a lost machine takes with it at most. */
const intervalMs = 5_000
/** Bytes in memory for each upload; the rest waits in the local file. */
const maxPieceBytes = 1024 * 1024
const concurrency = 4
const prefix = 'pieces/'

/** `recordings/<account>/<id>.wav` → `pieces/<account>/<id>/`. */
const prefixOf = (key: string): string => `${prefix}${key.slice(recordingsPrefix.length).replace(/\.wav$/, '')}/`

/**
 * Uploads what growing recordings have gained every five seconds, so that another node can join it when this one is lost. Pieces are plain
 * objects named by their position, removed when the whole file is uploaded or erased.
 */
export class Pieces {
  readonly #deps: PiecesDeps
  /** Bytes uploaded of files that this process began, until they are uploaded as a whole. */
  readonly #sent = new Map<string, number>()
  /** These may have pieces, also after a failure. */
  readonly #tried = new Set<string>()
  readonly #growing = new Set<string>()
  #cancelTimer: () => void = () => {}
  #round: Promise<void> | undefined
  #closed = false

  constructor(deps: PiecesDeps) {
    this.#deps = deps
  }

  begun(key: string): void {
    if (!key.startsWith(recordingsPrefix) || this.#closed) return
    this.#sent.set(key, 0)
    this.#growing.add(key)
    if (this.#growing.size === 1) this.#later()
  }

  /** Its upload as a whole follows. */
  complete(key: string): void {
    this.#growing.delete(key)
    if (this.#growing.size === 0) this.#cancelTimer()
  }

  /** Uploaded part of a file whose node was lost; undefined without one. */
  async open(key: string): Promise<OpenFile | undefined> {
    if (!key.startsWith(recordingsPrefix)) return undefined
    const parts = contiguous(await this.#list(key))
    const last = parts.at(-1)
    return last && opened(this.#deps.remote, parts, last.at + last.bytes)
  }

  /** The whole file is uploaded, or erased. */
  async remove(key: string): Promise<void> {
    this.complete(key)
    if (!key.startsWith(recordingsPrefix)) return
    if (this.#sent.has(key)) await this.#round
    const hasPieces = !this.#sent.has(key) || this.#tried.has(key)
    if (hasPieces) for (const piece of await this.#list(key)) await this.#deps.remote.remove(piece.key)
    this.#sent.delete(key)
    this.#tried.delete(key)
  }

  /** Recordings of which there are pieces. */
  async *list(wanted: string): AsyncGenerator<BlobFacts & { key: string }, void, undefined> {
    if (!wanted.startsWith(recordingsPrefix)) return
    let file: (BlobFacts & { key: string }) | undefined
    for await (const { key, bytes, changedAt } of this.#deps.remote.list(prefix + wanted.slice(recordingsPrefix.length))) {
      const [, accountId = '', id = ''] = key.split('/')
      const whole = `${recordingsPrefix}${accountId}/${id}.wav`
      if (file && file.key !== whole) yield file
      const before = file?.key === whole ? file : { bytes: 0, changedAt: 0 }
      file = { key: whole, bytes: before.bytes + bytes, changedAt: Math.max(before.changedAt, changedAt) }
    }
    if (file) yield file
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#round
  }

  /** Resolves when no upload is under way. */
  async idle(): Promise<void> {
    await this.#round
  }

  #later(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#deps.clock.after(intervalMs, () => {
      this.#round ??= this.#sendAll().finally(() => {
        this.#round = undefined
      })
      if (this.#growing.size > 0) this.#later()
    })
  }

  /** A failure ends the round: the store is away for all. */
  async #sendAll(): Promise<void> {
    const waiting = [...this.#growing]
    const work = async (): Promise<void> => {
      for (let key = waiting.shift(); key !== undefined && !this.#closed; key = waiting.shift()) await this.#send(key)
    }
    try {
      await Promise.all(Array.from({ length: concurrency }, work))
    } catch (error) {
      waiting.length = 0
      this.#deps.onFailure(error as Error)
    }
  }

  async #send(key: string): Promise<void> {
    const { local, remote } = this.#deps
    const file = await ifThere(() => openFile(local.pathOf(key)))
    if (!file) return
    try {
      for (let at = this.#sent.get(key) ?? 0; at < file.bytes && this.#growing.has(key); at = this.#sent.get(key) ?? file.bytes) {
        const piece = await file.read(at, Math.min(maxPieceBytes, file.bytes - at))
        if (piece.length === 0) return
        this.#tried.add(key)
        await remote.put(`${prefixOf(key)}${at}.pcm`, piecesOf(piece), { type: 'application/octet-stream', size: piece.length })
        this.#sent.set(key, at + piece.length)
      }
    } finally {
      await file.close()
    }
  }

  async #list(key: string): Promise<Piece[]> {
    const found: Piece[] = []
    for await (const { key: name, bytes, changedAt } of this.#deps.remote.list(prefixOf(key)))
      found.push({ key: name, bytes, changedAt, at: Number(/(\d+)\.pcm$/.exec(name)?.[1] ?? Number.NaN) })
    return found.toSorted((one, other) => one.at - other.at)
  }
}

interface Piece extends BlobFacts {
  key: string
  /** Position in the file. */
  at: number
}

const contiguous = (pieces: readonly Piece[]): Piece[] => {
  let end = 0
  return pieces.filter(({ at, bytes }) => {
    if (at !== end) return false
    end += bytes
    return true
  })
}

const piecesIn = (remote: Blobs, pieces: readonly Piece[], { first, last }: { first: number; last: number }): ReturnType<Blobs['open']> => {
  const content = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    for (const { key, at, bytes } of pieces) {
      if (at > last || at + bytes <= first) continue
      const range = { first: Math.max(first - at, 0), last: Math.min(last - at, bytes - 1) }
      const piece = await remote.open(key, range)
      if (!piece) throw new BlobsFailure('away', 'A piece of a recording was erased while it was read.')
      yield* piece.content
    }
  }
  return Promise.resolve({ bytes: last - first + 1, changedAt: 0, content: content() })
}

/** The header of a growing recording has no length yet. */
const opened = async (remote: Blobs, pieces: readonly Piece[], bytes: number): Promise<OpenFile> => {
  const source = blobReader({ open: (_key, range = { first: 0, last: bytes - 1 }) => piecesIn(remote, pieces, range) }, '', {
    bytes,
    changedAt: Math.max(...pieces.map(({ changedAt }) => changedAt)),
  })
  const header = await source.read(0, wavHeaderBytes)
  if (header.length === wavHeaderBytes) {
    const view = new DataView(header.buffer, header.byteOffset, wavHeaderBytes)
    writeWavHeader(header, view.getUint16(22, true), view.getUint32(24, true), bytes - wavHeaderBytes)
  }
  return {
    ...source,
    partial: true,
    async read(position, length) {
      if (position >= wavHeaderBytes) return source.read(position, length)
      const sound = await source.read(wavHeaderBytes, position + length - wavHeaderBytes)
      return Buffer.concat([header.subarray(position, position + length), sound])
    },
  }
}
