import { Kysely, PostgresAdapter, PostgresDialect, sql, type RawBuilder } from 'kysely'
import { Pool } from 'pg'
import type { Store, StoreReach } from '#core/kernel/ports/store/index.ts'
import { migrate } from './migrate.ts'
import type { RawDatabase } from './raw-database.ts'
import { retryLostRaces, toStoreError } from './postgres/postgres-errors.ts'
import { migrationLock, findSessions } from './postgres/postgres-sessions.ts'
import { connectionTo, WatchedPool, type PoolFigures } from './postgres/postgres-pool.ts'
import { defaultLimits, type PostgresLimits } from './postgres/postgres-limits.ts'
import { scrubTables } from './postgres/scrub-tables.ts'
import type { Db, Schema } from './schema/index.ts'
import { tables } from './tables/index.ts'

export interface PostgresOptions {
  connections?: number
  /** Limits that differ from the defaults. */
  limits?: Partial<PostgresLimits>
  /** Called for broken connections; the pool replaces them by itself. */
  onError?: (error: Error) => void
  /** Called with the seconds until a statement was answered. */
  onAnswered?: (seconds: number) => void
}

export interface PostgresStore extends Store {
  readonly reach: StoreReach
  readonly pool: PoolFigures
  readonly raw: RawDatabase
}

export const postgresStore = async (url: string, options: PostgresOptions = {}): Promise<PostgresStore> => {
  const { connections = 6, onError = () => {}, onAnswered } = options
  const limits = { ...defaultLimits, ...options.limits }
  const sessions = await findSessions(connectionTo(url, limits), limits)
  await migrateApart(url, limits)
  const pool = new WatchedPool({ url, connections, limits, sessions, onError, onAnswered })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const write = <T>(work: (transaction: Db) => Promise<T>): Promise<T> =>
    retryLostRaces(() => db.transaction().execute(work)).catch((error: unknown) => {
      throw toStoreError(error)
    })
  const read = async <R>(query: RawBuilder<R>): Promise<R[]> => (await query.execute(db)).rows
  return {
    read: tables(db, 'postgres'),
    write: (work) => write((transaction) => work(tables(transaction, 'postgres'))),
    raw: {
      dialect: 'postgres',
      read,
      ask: read,
      write,
      scrub: (names) => scrubTables(url, names),
    },
    reach: pool.reach,
    longReads: undefined,
    get pool() {
      return pool.figures
    },
    close: () => db.destroy(),
  }
}

/**
 * Over a separate connection without timeouts, since a migration may take long. It locks tables that processes of the previous version use
 * in another order, so it may lose a race.
 */
const migrateApart = async (url: string, limits: PostgresLimits): Promise<void> => {
  const db = new Kysely<Schema>({ dialect: new UnlockedDialect({ pool: new Pool({ ...connectionTo(url, limits), max: 1 }) }) })
  try {
    await retryLostRaces(() =>
      db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction)
        await migrate(transaction, 'postgres')
      }),
    )
  } finally {
    await db.destroy()
  }
}

/** Kysely's own lock belongs to a session: behind a pooler that assigns each transaction another one, it would never be released. */
class UnlockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter()
  }
}

class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
