import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { DataSubject } from '#core/kernel/ports/account.ts'
import { BlobsFailure, type Blobs } from '#core/kernel/ports/files.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { JournalFile } from '#core/kernel/ports/store/index.ts'
import type { RawDatabase } from '../raw-database.ts'
import type { Person } from './mentions.ts'

export interface Erasure {
  id: string
  at: number
  subject: DataSubject
  /** As in the database: in a backup the person may have another name. */
  person: Person
  /** It was started before, and interrupted. */
  again: boolean
}

interface JournalDeps {
  database: RawDatabase
  vault: Vault
  clock: Pick<Clock, 'now'>
  /** File in the data folder. Undefined if it does not exist and is not to be created. */
  openFile: (make: boolean) => Promise<JournalFile | undefined>
  /** The shared file store, if there is one. */
  copies: Pick<Blobs, 'put' | 'list' | 'open' | 'remove'> | undefined
  /** The shared store is unavailable: entries only stored there are unknown now. */
  onUnavailable: (error: Error) => void
}

/** A stored entry: unreadable without the key of the vault. */
interface Line {
  id: string
  at: number
  sealed: string
}

const copiesPrefix = 'erasures/'
/** Older backups must not be restored: persons erased since then would come back. */
const maxAgeMs = 3 * 366 * 24 * 3_600_000

/**
 * Erasures, stored in three places: in the database, in a file of the data folder, which outlives the database, and in the shared file
 * store. An entry that the database does not know means that the database was restored from a backup older than the erasure.
 */
export class ErasureJournal {
  readonly #deps: JournalDeps

  constructor(deps: JournalDeps) {
    this.#deps = deps
  }

  /** Is on disk before any data is erased. An interrupted erasure keeps its entry. */
  async begin(subject: DataSubject, person: Person): Promise<Erasure> {
    const interrupted = (await this.#rows(sql`done_at is null`)).map((line) => this.#open(line))
    const same = interrupted.find((one) => JSON.stringify(one?.subject) === JSON.stringify(subject))
    if (same) return { ...same, again: true }
    const erasure = { id: randomUUID(), at: this.#deps.clock.now(), subject, person, again: false }
    const line = { id: erasure.id, at: erasure.at, sealed: this.#deps.vault.seal(JSON.stringify({ subject, person })) }
    await this.#intoFile([line])
    await this.#copy(line)
    await this.#intoDatabase([line])
    return erasure
  }

  async end({ id }: Pick<Erasure, 'id'>): Promise<void> {
    const at = this.#deps.clock.now()
    await this.#deps.database.write((db) => sql`update erasure set done_at = ${at} where id = ${id}`.execute(db))
  }

  /** Synchronises all places, and returns the entries that the database did not know. They count as started. */
  async reconcile(): Promise<Erasure[]> {
    await this.#prune()
    const known = await this.#rows(sql`1 = 1`)
    const inFile = await this.#fileLines()
    const all = new Map([...inFile, ...known].map((line) => [line.id, line]))
    for (const line of await this.#copiedLines(new Set(all.keys()))) all.set(line.id, line)
    const fresh = [...all.values()].filter(({ id }) => !inFile.some((line) => line.id === id))
    if (fresh.length > 0) await this.#intoFile(fresh)
    const missing = [...all.values()].filter(({ id }) => !known.some((line) => line.id === id))
    await this.#intoDatabase(missing)
    return missing.flatMap((line) => this.#open(line) ?? [])
  }

  /** All known entries. */
  async list(): Promise<Erasure[]> {
    return (await this.#rows(sql`1 = 1`)).flatMap((line) => this.#open(line) ?? [])
  }

  #rows(condition: ReturnType<typeof sql>): Promise<Line[]> {
    return this.#deps.database.read(sql<Line>`select id, at, subject_sealed as sealed from erasure where ${condition} order by at`)
  }

  async #intoDatabase(lines: readonly Line[]): Promise<void> {
    for (const { id, at, sealed } of lines)
      await this.#deps.database.write((db) =>
        sql`insert into erasure (id, at, subject_sealed) values (${id}, ${at}, ${sealed}) on conflict do nothing`.execute(db),
      )
  }

  async #intoFile(lines: readonly Line[]): Promise<void> {
    await this.#withFile(true, (file) => file.append(lines.map(lineText)))
  }

  async #fileLines(): Promise<Line[]> {
    return (await this.#withFile(false, async (file) => (await file.lines()).flatMap(readLine))) ?? []
  }

  async #withFile<T>(make: boolean, work: (file: JournalFile) => Promise<T>): Promise<T | undefined> {
    const file = await this.#deps.openFile(make)
    try {
      return file && (await work(file))
    } finally {
      await file?.close()
    }
  }

  async #copy(line: Line): Promise<void> {
    const content = Buffer.from(lineText(line))
    await this.#deps.copies?.put(`${copiesPrefix}${line.id}`, pieceOf(content), { type: 'text/plain', size: content.length })
  }

  /** Entries that are only stored there. Calls continue while the store is unavailable, so the service starts without it. */
  async #copiedLines(known: ReadonlySet<string>): Promise<Line[]> {
    const { copies, onUnavailable } = this.#deps
    const lines: Line[] = []
    try {
      for await (const { key } of copies?.list(copiesPrefix) ?? []) {
        if (known.has(key.slice(copiesPrefix.length))) continue
        const copy = await copies?.open(key)
        if (copy) lines.push(...readLine(await text(copy.content)))
      }
    } catch (error) {
      if (!(error instanceof BlobsFailure)) throw error
      onUnavailable(error)
    }
    return lines
  }

  async #prune(): Promise<void> {
    const { database, clock, copies } = this.#deps
    const oldest = clock.now() - maxAgeMs
    const lines = await this.#fileLines()
    const kept = lines.filter(({ at }) => at >= oldest)
    if (kept.length < lines.length)
      await this.#withFile(true, async (file) => {
        await file.clear()
        await file.append(kept.map(lineText))
      })
    const old = await this.#rows(sql`at < ${oldest}`)
    for (const { id } of old) await copies?.remove(`${copiesPrefix}${id}`)
    await database.write((db) => sql`delete from erasure where at < ${oldest}`.execute(db))
  }

  /** Undefined when it was sealed with another key: then it belongs to another installation. */
  #open({ id, at, sealed }: Line): Erasure | undefined {
    try {
      return { id, at, again: false, ...(JSON.parse(this.#deps.vault.open(sealed)) as Pick<Erasure, 'subject' | 'person'>) }
    } catch {
      return undefined
    }
  }
}

const lineText = ({ id, at, sealed }: Line): string => `${id} ${at} ${sealed}`

const readLine = (line: string): Line[] => {
  const [, id, at, sealed] = /^([\w-]{1,64}) (\d+) (\S+)$/.exec(line.trim()) ?? []
  return id !== undefined && sealed !== undefined ? [{ id, at: Number(at), sealed }] : []
}

async function* pieceOf(content: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield content
}
