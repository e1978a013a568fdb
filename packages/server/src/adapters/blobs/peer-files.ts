import { createHash } from 'node:crypto'
import { isSafeKey, type BlobFacts, type Blobs } from '#core/kernel/ports/files.ts'
import { NoAnswer, NoAnswerError, type Bus } from '#core/kernel/ports/platform.ts'
import { blobReader } from './blob-reader.ts'
import { ifThere, openFile, piecesOf, type FolderBlobs, type OpenFile } from './folder-blobs.ts'
import { away } from './join-recordings.ts'

export const recordingsPrefix = 'recordings/'

interface PeerFilesDeps {
  bus: Pick<Bus, 'ask' | 'askAll' | 'answer' | 'notify' | 'hear'>
  /** Data folder of this node. */
  local: FolderBlobs
  /** Its name for other nodes. */
  place: string
  onFailure: (error: unknown) => void
}

type Request = { do: 'size'; key: string } | { do: 'remove'; key: string } | { do: 'read'; key: string; position: number; length: number }
type Size = { size: BlobFacts | null }
interface Found {
  place: string
  size: BlobFacts
}

/** Bytes per message: brokers allow 1 MiB, in which base64 and the seal must fit. */
const chunkBytes = 256 * 1024
const answerTimeoutMs = 5_000
const erased = 'files.erased'
const search = 'files.find'
const searchTimeoutMs = 1_000
const maxNodes = 1_000

const subjectOf = (place: string): string => `files.${createHash('sha256').update(place).digest('hex').slice(0, 16)}`

/** Files in the data folders of other nodes, read over the bus: without a shared store each file stays where it was written. */
export class PeerFiles {
  readonly #deps: PeerFilesDeps
  readonly #stops: readonly (() => void)[]

  constructor(deps: PeerFilesDeps) {
    this.#deps = deps
    const { bus, local, place, onFailure } = deps
    const forget = async ({ key }: { key: string }): Promise<void> => {
      if (isSafeKey(key) && key.startsWith(recordingsPrefix)) await local.remove(key)
    }
    this.#stops = [
      bus.answer(subjectOf(place), (body) => this.#answer(body as Request)),
      bus.answer(search, async (body) => {
        const { key } = body as { key: string }
        const size = isSafeKey(key) && key.startsWith(recordingsPrefix) ? await local.size(key) : undefined
        return size ? { place, size } : {}
      }),
      bus.hear(erased, (body) => void forget(body as { key: string }).catch(onFailure)),
    ]
  }

  /** Undefined if the file does not exist there. Throws a Problem if the machine is away. */
  async open(place: string, key: string): Promise<OpenFile | undefined> {
    try {
      const { size } = (await this.#ask(place, { do: 'size', key })) as Size
      return size ? blobReader(this.#blobsAt(place), key, size) : undefined
    } catch (error) {
      const found = await this.#find(key)
      if (!found) throw error
      return blobReader(this.#blobsAt(found.place), key, found.size)
    }
  }

  /** The machine may have another name now, or its folder may be at another one. */
  async #find(key: string): Promise<Found | undefined> {
    const replies = await this.#deps.bus.askAll(search, { key }, { ms: searchTimeoutMs, expected: maxNodes }).catch(() => [])
    return (replies as Partial<Found>[]).find((reply): reply is Found => reply.place !== undefined)
  }

  async remove(place: string, key: string): Promise<void> {
    try {
      await this.#ask(place, { do: 'remove', key })
    } catch (error) {
      const found = await this.#find(key)
      if (!found) throw error
      await this.#ask(found.place, { do: 'remove', key })
    }
  }

  /** All nodes remove it; those that are away do so by their own sweep. */
  announceErased(key: string): void {
    this.#deps.bus.notify(erased, { key })
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
  }

  #blobsAt(place: string): Pick<Blobs, 'open'> {
    const read = async (key: string, position: number, length: number): Promise<Buffer> => {
      const { content } = (await this.#ask(place, { do: 'read', key, position, length })) as { content: string }
      return Buffer.from(content, 'base64')
    }
    return {
      open: async (key, range = { first: 0, last: 0 }) => ({ bytes: 0, changedAt: 0, content: chunksOf(key, range, read) }),
    }
  }

  async #ask(place: string, request: Request): Promise<unknown> {
    try {
      return await this.#deps.bus.ask(subjectOf(place), request, { ms: answerTimeoutMs })
    } catch (error) {
      if (error instanceof NoAnswer || error instanceof NoAnswerError) throw away(place)
      throw error
    }
  }

  async #answer(request: Request): Promise<unknown> {
    const { local } = this.#deps
    const { key } = request
    if (!isSafeKey(key) || !key.startsWith(recordingsPrefix)) throw new Error('a file has an odd name')
    if (request.do === 'remove') return local.remove(key).then(() => ({}))
    if (request.do === 'size') return { size: (await local.size(key)) ?? null }
    const { position, length } = request
    const file = await ifThere(() => openFile(local.pathOf(key)))
    if (!file) return { content: '' }
    try {
      const content = await file.read(position, Math.min(length, chunkBytes))
      return { content: Buffer.from(content).toString('base64') }
    } finally {
      await file.close()
    }
  }
}

async function* chunksOf(
  key: string,
  { first, last }: { first: number; last: number },
  read: (key: string, position: number, length: number) => Promise<Buffer>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = first; at <= last;) {
    const chunk = await read(key, at, Math.min(chunkBytes, last - at + 1))
    if (chunk.length === 0) return
    yield* piecesOf(chunk)
    at += chunk.length
  }
}
