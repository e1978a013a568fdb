import type { Clock } from '../ports/clock.ts'
import type { Journal, JournalEntry, JournalFile, WriteEntry } from '../ports/journal.ts'
import { StoreUnavailable, type Store, type Tables } from '../ports/store/index.ts'
import type { Vault } from '../ports/vault.ts'
import { Tasks } from './tasks.ts'

export interface WaitingWritesDeps {
  store: Store
  /** In real time, as the database is. */
  clock: Clock
  file: JournalFile
  /** Who called whom is nobody's business who finds the file. */
  vault: Vault
  /** An entry could not be kept, read or written, and is lost if it does not say otherwise. */
  onFailure: (error: unknown, id: string) => void
}

/** About a day of a small office, or some minutes of a large one. */
const maxEntries = 10_000
const concurrency = 100
const retryMs = 1_000

/** What could not be written while the database was away: kept in a file, written in the same order when it is back. */
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

  /** How many wait. */
  get size(): number {
    return this.#waiting.length
  }

  /** Who can write entries of this kind. */
  writes(kind: string, write: WriteEntry): void {
    this.#writers.set(kind, write)
  }

  /** What an earlier run of the process left is written before anything else happens. */
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

  /** What is left stays in the file. */
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
      this.#deps.onFailure(error, 'journal') // the last line of a process that died while it wrote it
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
      if (this.#coming === 0) await file.clear() // else the next time: writing twice does no harm
    } catch (error) {
      onFailure(error, 'journal')
      this.#drainLater()
    } finally {
      this.#isDraining = false
    }
  }

  /** Throws when the database is away again. One entry that cannot be written does not keep back the others. */
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
