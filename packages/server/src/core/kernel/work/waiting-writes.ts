import type { Clock, Vault } from '../ports/platform.ts'
import type { Journal, JournalEntry, JournalFile, WriteEntry } from '../ports/store/index.ts'
import { StoreUnavailable, type Store, type Tables } from '../ports/store/index.ts'
import { Tasks } from './worker.ts'

interface WaitingWritesDeps {
  store: Store
  /** Real time, as for the database. */
  clock: Clock
  file: JournalFile
  /** Encrypts the file: it reveals who called whom. */
  vault: Vault
  /** Called when an entry could not be stored, read or written; it is lost unless the error says otherwise. */
  onFailure: (error: unknown, id: string) => void
}

/** About a day of a small office, or some minutes of a large one. */
const maxEntries = 10_000
const concurrency = 100
const retryMs = 1_000

/** Writes that failed while the database was unreachable: kept in a file, written in the same order when it is back. */
export class WaitingWrites implements Journal {
  readonly #deps: WaitingWritesDeps
  readonly #writers = new Map<string, WriteEntry>()
  readonly #tasks = new Tasks()
  readonly #stopWatching: () => void
  #waiting: JournalEntry[] = []
  #coming = 0
  #isDraining = false
  #cancelTimer: () => void = () => {}
  #closed = false

  constructor(deps: WaitingWritesDeps) {
    this.#deps = deps
    this.#stopWatching = deps.store.reach?.watch((away) => away || this.#drain()) ?? (() => {})
  }

  /** Number of pending entries. */
  get size(): number {
    return this.#waiting.length
  }

  /** Registers the writer of a kind. */
  writes(kind: string, write: WriteEntry): void {
    this.#writers.set(kind, write)
  }

  /** Writes entries of an earlier run before anything else happens. */
  async start(): Promise<void> {
    this.#waiting = (await this.#deps.file.lines()).flatMap((line) => this.#read(line) ?? [])
    this.#drain()
    await this.idle()
  }

  async keep(entry: JournalEntry): Promise<boolean> {
    const { file, vault, store, onFailure } = this.#deps
    if (this.#closed || this.#waiting.length + this.#coming >= maxEntries) return false
    this.#coming++
    try {
      await file.append([vault.seal(JSON.stringify(entry))])
    } catch (error) {
      onFailure(error, entry.id)
      return false
    } finally {
      this.#coming--
    }
    this.#waiting.push(entry)
    if ((store.reach?.awayMs ?? 0) === 0) this.#drainLater()
    return true
  }

  idle(): Promise<void> {
    return this.#tasks.idle()
  }

  /** Remaining entries stay in the file. */
  async close(): Promise<void> {
    this.#closed = true
    this.#stopWatching()
    this.#cancelTimer()
    await this.idle()
    await this.#deps.file.close()
  }

  #read(line: string): JournalEntry | undefined {
    try {
      return JSON.parse(this.#deps.vault.open(line)) as JournalEntry
    } catch (error) {
      this.#deps.onFailure(error, 'journal') // incomplete last line of a process that died while writing
      return undefined
    }
  }

  #drainLater(): void {
    this.#cancelTimer()
    if (!this.#closed) this.#cancelTimer = this.#deps.clock.after(retryMs, () => this.#drain())
  }

  #drain(): void {
    if (this.#waiting.length === 0 || this.#isDraining) return
    this.#isDraining = true
    void this.#tasks.track(this.#writeAll())
  }

  async #writeAll(): Promise<void> {
    const { file, onFailure } = this.#deps
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, concurrency)
        await this.#write(batch)
        this.#waiting.splice(0, batch.length)
      }
      if (this.#coming === 0) await file.clear() // otherwise cleared next time: writing twice is harmless
    } catch (error) {
      onFailure(error, 'journal')
      this.#drainLater()
    } finally {
      this.#isDraining = false
    }
  }

  /** Throws if the database is unreachable again. An entry that cannot be written does not block the others. */
  async #write(batch: readonly JournalEntry[]): Promise<void> {
    try {
      await this.#deps.store.write((tables) => this.#writeEach(tables, batch))
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (batch.length > 1) for (const entry of batch) await this.#write([entry])
      else this.#deps.onFailure(error, batch[0]?.id ?? 'journal')
    }
  }

  async #writeEach(tables: Tables, batch: readonly JournalEntry[]): Promise<void> {
    for (const { kind, payload } of batch) await this.#writers.get(kind)?.(tables, payload)
  }
}
