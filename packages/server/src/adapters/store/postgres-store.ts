import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { Pool, types } from 'pg'
import { StoreFull, StoreUnavailable, UniqueViolation, type Store } from '#core/kernel/ports/store/index.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './schema/index.ts'
import { tables } from './tables/index.ts'

export interface PostgresOptions {
  connections?: number
  /** A process that stands still in the middle of a transaction locks its rows for at most this long, then PostgreSQL rolls it back. */
  standstillMs?: number
  /** Called for connections that break; the pool replaces them by itself. */
  onError?: (error: Error) => void
}

/** Less than the lease of a process that seems to be gone: when its calls are taken over, their rows are free. */
const longestStandstillMs = 5_000

export const postgresStore = async (url: string, options: PostgresOptions = {}): Promise<Store> => {
  const { connections = 10, standstillMs = longestStandstillMs, onError = () => {} } = options
  const limits = { max: connections, connectionTimeoutMillis, idle_in_transaction_session_timeout: standstillMs }
  const pool = new Pool({ connectionString: url, ...limits, types: { getTypeParser } })
  // Without both listeners a restart of PostgreSQL would end our process: a connection tells the pool only while it is idle.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', onError))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: honest(pool) }) })
  try {
    await migrate(db, 'postgres')
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    read: tables(db, 'postgres'),
    write: (work) => retryLostRaces(() => db.transaction().execute((transaction) => work(tables(transaction, 'postgres')))),
    close: () => db.destroy(),
  }
}

/** For a new connection, and for waiting until one of ours is free. */
const connectionTimeoutMillis = 10_000

/** Reports a missing connection as `StoreUnavailable`. */
const honest = (pool: Pool): PostgresPool => ({
  options: pool.options,
  connect: () =>
    pool.connect().catch((error: unknown) => {
      throw new StoreUnavailable(error)
    }),
  end: () => pool.end(),
})

const attempts = 5

/** On deadlocks and serialization failures PostgreSQL asks for another try; nothing of the lost one remains. */
const retryLostRaces = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === '23505') throw new UniqueViolation(error)
      if (code === '53100') throw new StoreFull(error)
      if (isBroken(error, code)) throw new StoreUnavailable(error)
      if ((code !== '40001' && code !== '40P01') || attempt === attempts) throw error
    }
  }
}

/** The connection was lost on the way: by the network, because PostgreSQL was stopped (57P01 to 57P03), or because we stood still (25P03). */
const isBroken = (error: unknown, code: unknown): boolean =>
  /^(ECONNRESET|EPIPE|57P0[1-3]|25P03|08...)$/.test(String(code)) || /^Connection terminated|not queryable$/.test((error as Error).message)

const wholeNumbers = [types.builtins.INT8, types.builtins.NUMERIC] as number[]

/** Our bigints (milliseconds, ten-thousandths) all fit a double exactly; pg would hand them out as text. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  wholeNumbers.includes(oid) ? Number : types.getTypeParser(oid, format)
