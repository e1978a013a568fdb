import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Problem } from '@offhook/contract/problem.ts'
import { BlobsFailure, type BlobFacts, type Blobs } from '#core/kernel/ports/files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { folderBlobs, type FolderBlobs, ifThere, openFile, type OpenFile } from './folder-blobs.ts'
import { blobReader } from './blob-reader.ts'
import type { Pieces } from './pieces.ts'
import { putWhole, typeOf, type LentFile, type FileStore } from './file-store.ts'
import type { Uploader } from './uploader.ts'

interface UploadingShelfDeps {
  local: FolderBlobs
  remote: Blobs
  store: Store
  uploader: Uploader
  pieces: Pieces
}

/** Copies for engines that read files directly. */
export const fetchedPrefix = 'fetched/'

/** Seconds that clients wait while a file is being uploaded, or the store is unavailable. */
const onTheWaySeconds = 2
const awaySeconds = 30

/** Files grow on this machine and are stored in a store shared by all machines. Until the upload they are read here. */
export class UploadingFileStore implements FileStore {
  readonly ofManyMachines = true
  readonly #local: FolderBlobs
  readonly #remote: Blobs
  readonly #store: Store
  readonly #uploader: Uploader
  readonly #pieces: Pieces

  constructor({ local, remote, store, uploader, pieces }: UploadingShelfDeps) {
    this.#local = local
    this.#remote = remote
    this.#store = store
    this.#uploader = uploader
    this.#pieces = pieces
  }

  pathOf(key: string): string {
    return this.#local.pathOf(key)
  }

  begun(key: string): void {
    this.#pieces.begun(key)
  }

  async written(key: string): Promise<void> {
    this.#pieces.complete(key)
    if (await this.#local.size(key)) await this.#uploader.add(key)
  }

  async write(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    await putWhole(this.#local, key, content)
    await this.#uploader.add(key)
  }

  async open(key: string): Promise<OpenFile | undefined> {
    const here = await ifThere(() => openFile(this.#local.pathOf(key)))
    if (here) return here
    return asked(async () => {
      const facts = (await this.#remote.size(key)) ?? (await this.#missing(key))
      return facts ? blobReader(this.#remote, key, facts) : this.#pieces.open(key)
    })
  }

  async lend(key: string): Promise<LentFile | undefined> {
    this.#uploader.hold(key)
    const path = this.#local.pathOf(key)
    const release = async (): Promise<void> => this.#uploader.release(key)
    if (await this.#local.size(key)) return { path, release }
    await release()
    return asked(() => this.#copy(key))
  }

  async remove(key: string): Promise<void> {
    const isHere = (await this.#local.size(key)) !== undefined
    if (await this.#store.read.uploads.find(key)) await this.#store.write((tables) => tables.uploads.erase(key))
    await this.#local.remove(key)
    await asked(() => this.#remote.remove(key))
    await asked(() => this.#pieces.remove(key))
    // Another machine notices by itself that the upload is no longer needed.
    if (isHere) this.#uploader.again(key)
  }

  async *list(prefix: string): AsyncGenerator<BlobFacts & { key: string }, void, undefined> {
    const here = new Set<string>()
    for await (const file of this.#local.list(prefix)) {
      here.add(file.key)
      yield file
    }
    for await (const file of this.#remote.list(prefix)) if (!here.has(file.key)) yield file
    for await (const file of this.#pieces.list(prefix)) if (!here.has(file.key) && !(await this.#remote.size(file.key))) yield file
  }

  /** Another machine may still have it; or it has just arrived. */
  async #missing(key: string): Promise<BlobFacts | undefined> {
    const upload = await this.#store.read.uploads.find(key)
    const facts = await this.#remote.size(key)
    if (!facts && upload && !upload.erased)
      throw new Problem('unavailable', 'The file is still on its way from the machine that wrote it.', { retryAfter: onTheWaySeconds })
    return facts
  }

  async #copy(key: string): Promise<LentFile | undefined> {
    const source = (await this.#remote.open(key)) ?? ((await this.#missing(key)) && (await this.#remote.open(key)))
    if (!source) return undefined
    const copies = folderBlobs(this.#local.root)
    const copy = `${fetchedPrefix}${randomUUID()}${key.slice(key.lastIndexOf('.'))}`
    await copies.put(copy, source.content, { type: typeOf(key) })
    const path = copies.pathOf(copy)
    return { path, release: () => rm(path, { force: true }) }
  }
}

/** Readers only learn that the failure is temporary; operators get the details. */
const asked = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BlobsFailure)) throw error
    const problem = new Problem('unavailable', 'The file store cannot be reached at the moment.', { retryAfter: awaySeconds })
    problem.cause = error
    throw problem
  }
}
