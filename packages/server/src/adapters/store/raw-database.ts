import type { RawBuilder } from 'kysely'
import type { Dialect } from './schema/dialect.ts'
import type { Db } from './schema/index.ts'

/** A database without the core's tables: for work that treats all tables alike. */
export interface RawDatabase {
  readonly dialect: Dialect
  /** Reads a few committed rows. */
  read<R>(query: RawBuilder<R>): Promise<R[]>
  /** The same for many rows, or after a long search; on SQLite in a thread, so that it does not block the event loop. */
  ask<R>(query: RawBuilder<R>): Promise<R[]>
  /** One transaction; keep it short, because writers queue behind it. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Rewrites the database files, so that they contain no bytes of deleted rows. `tables`: those with deleted rows. False when something is
   * too large to be rewritten during running calls: bytes may remain in unused parts of pages.
   */
  scrub(tables: readonly string[]): Promise<boolean>
}
