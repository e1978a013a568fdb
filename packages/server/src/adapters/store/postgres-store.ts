import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { StoreFull, UniqueViolation, type Store, type StoreReach } from '#core/kernel/ports/store/index.ts'
import { migrate } from './migrate.ts'
import { migrationLock } from './postgres/migration-lock.ts'
import { codeOf, isBroken, unavailable } from './postgres/postgres-errors.ts'
import { connectionTo, WatchedPool, type PoolFigures } from './postgres/postgres-pool.ts'
import { usualLimits, type PostgresLimits } from './postgres/postgres-limits.ts'
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
  const limits = { ...usualLimits, ...options.limits }
  const sessions = await findSessions(connectionTo(url, limits), limits)
  await migrateApart(url, limits)
  const pool = new WatchedPool({ url, connections, limits, sessions, onError, onAnswered })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return {
    read: tables(db, 'postgres'),
    write: (work) => retryLostRaces(() => db.transaction().execute((transaction) => work(tables(transaction, 'postgres')))),
    reach: pool.reach,
    get pool() {
      return pool.figures
    },
    close: () => db.destroy(),
  }
}

/** Over a connection of its own, since a migration may take as long as it takes. */
const migrateApart = async (url: string, limits: PostgresLimits): Promise<void> => {
  const db = new Kysely<Schema>({ dialect: new UnlockedDialect({ pool: new Pool({ ...connectionTo(url, limits), max: 1 }) }) })
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction)
      await migrate(transaction, 'postgres')
    })
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

const attempts = 5

/** On deadlocks and serialization failures PostgreSQL asks for another try; nothing of the lost one remains. */
const retryLostRaces = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const code = codeOf(error)
      if (code === '23505') throw new UniqueViolation(error)
      if (code === '53100') throw new StoreFull(error)
      if (isBroken(error)) throw unavailable(error)
      if ((code !== '40001' && code !== '40P01') || attempt === attempts) throw error
    }
  }
}
