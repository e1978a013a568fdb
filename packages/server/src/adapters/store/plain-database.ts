import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect } from 'kysely'
import { connectionTo } from './postgres/postgres-pool.ts'
import type { Schema } from './schema/index.ts'
import { sqliteKysely } from './sqlite/sqlite-driver.ts'

/** Opens a database unchanged: without migration, claim or creation. For commands that run next to the service. */
export const withSqlite = async <T>(
  file: string,
  { readOnly }: { readOnly: boolean },
  work: (db: Kysely<Schema>, database: DatabaseSync) => Promise<T>,
): Promise<T> => {
  const database = new DatabaseSync(file, { readOnly, timeout: 5_000 })
  try {
    return await work(sqliteKysely<Schema>(database), database)
  } finally {
    database.close()
  }
}

export const withPostgres = async <T>(url: string, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> => {
  const { Pool } = await import('pg')
  const pool = new Pool({ ...connectionTo(url), max: 1 })
  pool.on('error', () => {}) // reported by the pending query
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
