import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import type { Store, StoreReach } from '#core/kernel/ports/store/index.ts'
import { migrate } from './migrate.ts'
import { retryLostRaces } from './postgres/lost-races.ts'
import { migrationLock } from './postgres/migration-lock.ts'
import { toStoreError } from './postgres/postgres-errors.ts'
import { connectionTo, WatchedPool, type PoolFigures } from './postgres/postgres-pool.ts'
import { defaultLimits, type PostgresLimits } from './postgres/postgres-limits.ts'
import { findSessions } from './postgres/postgres-sessions.ts'
import type { Schema } from './schema/index.ts'
import { tables } from './tables/index.ts'

export interface PostgresOptions {
  connections?: number
  /** Where they are not the usual ones. */
  limits?: Partial<PostgresLimits>
  /** Called for connections that break; the pool replaces them by itself. */
  onError?: (error: Error) => void
  /** A statement was answered after so many seconds. */
  onAnswered?: (seconds: number) => void
}

export interface PostgresStore extends Store {
  readonly reach: StoreReach
  readonly pool: PoolFigures
}

export const postgresStore = async (url: string, options: PostgresOptions = {}): Promise<PostgresStore> => {
  const { connections = 6, onError = () => {}, onAnswered } = options
  const limits = { ...defaultLimits, ...options.limits }
  const sessions = await findSessions(connectionTo(url, limits), limits)
  await migrateApart(url, limits)
  const pool = new WatchedPool({ url, connections, limits, sessions, onError, onAnswered })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return {
    read: tables(db, 'postgres'),
    write: (work) =>
      retryLostRaces(() => db.transaction().execute((transaction) => work(tables(transaction, 'postgres')))).catch((error: unknown) => {
        throw toStoreError(error)
      }),
    reach: pool.reach,
    get pool() {
      return pool.figures
    },
    close: () => db.destroy(),
  }
}

/**
 * Over a connection of its own, since a migration may take as long as it takes. It locks tables that processes of the version before are using,
 * each in its own order, so that it may lose a race.
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

/** Kysely's own lock belongs to a session: behind a pooler that gives each transaction another one, it would never be let go. */
class UnlockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter()
  }
}

class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
