import { Kysely, PostgresDialect } from 'kysely'
import { Pool, types } from 'pg'
import { UniqueViolation, type Store } from '../../core/ports/store/index.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './schema/index.ts'
import { tables } from './tables/index.ts'

export interface PostgresOptions {
  connections?: number
  /** Told about connections that break while idle; the pool replaces them by itself. */
  onError?: (error: Error) => void
}

export const postgresStore = async (url: string, { connections = 10, onError = () => {} }: PostgresOptions = {}): Promise<Store> => {
  const pool = new Pool({ connectionString: url, max: connections, types: { getTypeParser } })
  pool.on('error', onError) // without a listener a restart of PostgreSQL would end our process
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
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

const attempts = 5

/** Deadlocks and serialization failures are PostgreSQL asking for another try; nothing of the lost one remains. */
const retryLostRaces = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === '23505') throw new UniqueViolation(error)
      if ((code !== '40001' && code !== '40P01') || attempt === attempts) throw error
    }
  }
}

const wholeNumbers = [types.builtins.INT8, types.builtins.NUMERIC] as number[]

/** Our bigints (milliseconds, ten-thousandths) all fit a double exactly; pg would hand them out as text. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  wholeNumbers.includes(oid) ? Number : types.getTypeParser(oid, format)
