import type { Tables } from './store/index.ts'

/** Something that has happened and could not be written, because the database is away. */
export interface JournalEntry {
  /** Says who can write it. */
  kind: string
  /** Of the call or session, for the log. */
  id: string
  /** JSON. */
  payload: object
}

/** Part of a transaction. The same entry may come again: what is known already must not be written twice. */
export type WriteEntry = (tables: Tables, payload: unknown) => Promise<void>

/** Keeps on this machine what is to be written when the database is back. */
export interface Journal {
  /** Resolves when it is safe, also from a restart. False when there is no room for it, or it cannot be kept. */
  keep(entry: JournalEntry): Promise<boolean>
}

/** Lines in a file that survive the process. */
export interface JournalFile {
  lines(): Promise<string[]>
  /** Resolves when they are on the disk. */
  append(lines: readonly string[]): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}
