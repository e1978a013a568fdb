import { BlobsFailure, type BlobFacts, type Blobs } from '#core/kernel/ports/files.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { FolderBlobs } from './folder-blobs.ts'
import { typeOf } from './file-store.ts'

interface UploaderDeps {
  /** Local folder in which files grow. */
  local: FolderBlobs
  remote: Blobs
  store: Store
  clock: Clock
  /** Name of this machine, for operators. */
  place: string
  /** Complete files of ended processes, ready to be uploaded. */
  leftovers: () => AsyncIterable<string>
  /** Called when a file is in the store, before the local copy is removed. */
  onUploaded: (key: string) => Promise<void>
  /** Called on changes; undefined: uploads work again. */
  onChange: (failure: Error | undefined, waiting: number) => void
}

const concurrency = 4
const firstPauseMs = 1_000
const maxPauseMs = 60_000
const pollIntervalMs = 10 * 60_000
/** Milliseconds that the end of the process waits for the last files. */
const lastFilesMs = 10_000

/**
 * Uploads complete files to the store shared by all machines. Each is listed in a table until it is uploaded, so that other processes know
 * about it; files of a dead process are found in its folder. No upload is given up.
 */
export class Uploader {
  readonly #deps: UploaderDeps
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  /** Number of local readers and writers of the file: it stays until they are done. */
  readonly #held = new Map<string, number>()
  #pauseMs = 0
  #failure: Error | undefined
  #cancelPause: (() => void) | undefined
  #cancelPoll: () => void = () => {}
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: UploaderDeps) {
    this.#deps = deps
  }

  /** Searches for left-over files, now and every ten minutes. */
  start(): void {
    if (this.#closed) return
    this.#looking = this.#poll().catch((error: unknown) => this.failed(error as Error))
    this.#cancelPoll = this.#deps.clock.after(pollIntervalMs, () => this.start())
  }

  hold(key: string): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1)
  }

  release(key: string): void {
    const left = (this.#held.get(key) ?? 1) - 1
    if (left > 0) this.#held.set(key, left)
    else this.#held.delete(key)
    this.#next()
  }

  /** The file is complete. Never throws: the next search finds an unlisted file. */
  async add(key: string): Promise<void> {
    const { store, clock, place } = this.#deps
    await store
      .write((tables) => tables.uploads.add({ key, place, createdAt: clock.now() }))
      .catch((error: unknown) => this.failed(error as Error))
    this.again(key)
  }

  /** Checks the file once more. */
  again(key: string): void {
    if (this.#closed) return
    this.#waiting.add(key)
    this.#next()
  }

  /** The store was unreachable, or rejected a request. */
  failed(error: Error): void {
    const known = error instanceof BlobsFailure && this.#failure instanceof BlobsFailure && this.#failure.message === error.message
    if (!known && !this.#closed) this.#deps.onChange(error, this.#waiting.size)
    this.#failure = error
  }

  /** Resolves when everything is uploaded, or waits for the store to come back. */
  async idle(): Promise<void> {
    await this.#looking
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  async close(): Promise<void> {
    this.#cancelPoll()
    let cancel = (): void => {}
    const late = new Promise<void>((resolve) => (cancel = this.#deps.clock.after(lastFilesMs, resolve)))
    await Promise.race([this.idle(), late])
    cancel()
    this.#closed = true
    this.#cancelPause?.()
  }

  /** Stops uploads and waits for the current ones. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  async #poll(): Promise<void> {
    for await (const key of this.#deps.leftovers()) this.again(key)
  }

  #next(): void {
    if (this.#cancelPause || this.#closed) return
    for (const key of this.#waiting) {
      if (this.#running.size >= concurrency) return
      if (this.#held.has(key) || this.#running.has(key)) continue
      this.#waiting.delete(key)
      const upload = this.#upload(key)
        .then(() => this.#worked())
        .catch((error: unknown) => this.#postpone(key, error as Error))
        .finally(() => {
          this.#running.delete(key)
          this.#next()
        })
      this.#running.set(key, upload)
    }
  }

  async #upload(key: string): Promise<void> {
    const { local, remote, store } = this.#deps
    const noted = await store.read.uploads.find(key)
    const file = noted?.erased ? undefined : await local.size(key)
    if (file) await this.#bring(key, file, noted !== undefined)
    if (file) await this.#deps.onUploaded(key)
    const erased = noted && (await store.write((tables) => tables.uploads.remove(key)))
    if (erased) await remote.remove(key)
    if (erased) await local.remove(key)
    else if (file) await this.#clear(key, file)
  }

  /** An unlisted file may already be uploaded: its process died, or it was read here, before it could be removed. */
  async #bring(key: string, { bytes, changedAt }: BlobFacts, isNoted: boolean): Promise<void> {
    const { local, remote } = this.#deps
    const there = isNoted ? undefined : await remote.size(key)
    if (there?.bytes === bytes && there.changedAt === changedAt) return
    const content = (await local.open(key))?.content
    if (content) await remote.put(key, content, { type: typeOf(key), size: bytes, changedAt })
  }

  /** Removes the local copy, unless it is being read, or was rewritten in the meantime. */
  async #clear(key: string, { bytes, changedAt }: BlobFacts): Promise<void> {
    const { local } = this.#deps
    const now = await local.size(key)
    if (this.#held.has(key)) this.#waiting.add(key)
    else if (now?.bytes === bytes && now.changedAt === changedAt) await local.remove(key)
    else if (now) await this.add(key)
  }

  #worked(): void {
    this.#pauseMs = 0
    if (this.#failure) this.#deps.onChange(undefined, this.#waiting.size)
    this.#failure = undefined
  }

  #postpone(key: string, error: Error): void {
    this.#waiting.add(key)
    this.failed(error)
    if (this.#cancelPause || this.#closed) return
    this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs * 2 || firstPauseMs)
    this.#cancelPause = this.#deps.clock.after(this.#pauseMs, () => {
      this.#cancelPause = undefined
      this.#next()
    })
  }
}
