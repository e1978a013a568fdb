import type { Clock } from '../ports/clock.ts'
import type { Journal, JournalEntry, JournalFile, WriteEntry } from '../ports/journal.ts'
import { StoreUnavailable, type Store, type Tables } from '../ports/store/index.ts'
import type { Vault } from '../ports/vault.ts'
import { Tasks } from './tasks.ts'

export interface WaitingWritesParts {
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
const mostEntries = 10_000
const atOnce = 100
const againMs = 1_000

/** What could not be written while the database was away: kept in a file, written in the same order when it is back. */
export class WaitingWrites implements Journal {
  readonly #parts: WaitingWritesParts
  readonly #writers = new Map<string, WriteEntry>()
  readonly #tasks = new Tasks()
  readonly #stopWatching: () => void
  #waiting: JournalEntry[] = []
  #coming = 0
  #isDraining = false
  #cancelTimer: () => void = () => {}
  #closed = false

  constructor(parts: WaitingWritesParts) {
    this.#parts = parts
    this.#stopWatching = parts.store.reach?.watch((away) => away || this.#drain()) ?? (() => {})
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
    this.#waiting = (await this.#parts.file.lines()).flatMap((line) => this.#read(line) ?? [])
    this.#drain()
    await this.idle()
  }

  async keep(entry: JournalEntry): Promise<boolean> {
    const { file, vault, store, onFailure } = this.#parts
    if (this.#closed || this.#waiting.length + this.#coming >= mostEntries) return false
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
    await this.#parts.file.close()
  }

  #read(line: string): JournalEntry | undefined {
    try {
      return JSON.parse(this.#parts.vault.open(line)) as JournalEntry
    } catch (error) {
      this.#parts.onFailure(error, 'journal') // the last line of a process that died while it wrote it
      return undefined
    }
  }

  #drainLater(): void {
    this.#cancelTimer()
    if (!this.#closed) this.#cancelTimer = this.#parts.clock.after(againMs, () => this.#drain())
  }

  #drain(): void {
    if (this.#waiting.length === 0 || this.#isDraining) return
    this.#isDraining = true
    void this.#tasks.track(this.#writeAll())
  }

  async #writeAll(): Promise<void> {
    const { file, onFailure } = this.#parts
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, atOnce)
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
      await this.#parts.store.write((tables) => this.#writeEach(tables, batch))
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (batch.length > 1) for (const entry of batch) await this.#write([entry])
      else this.#parts.onFailure(error, batch[0]?.id ?? 'journal')
    }
  }

  async #writeEach(tables: Tables, batch: readonly JournalEntry[]): Promise<void> {
    for (const { kind, payload } of batch) await this.#writers.get(kind)?.(tables, payload)
  }
}
