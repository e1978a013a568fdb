import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import { Client } from 'pg'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { migratedTemplate, sharedPostgres, stopOwnPostgres } from './migrated-postgres.ts'
import { createDatabase } from './postgres.ts'
import { openSqlite, openTestSqlite } from './test-sqlite.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

export { temporaryFolder } from '../machine/temporary-folder.ts'

export type Database = 'sqlite' | 'postgres'
/** Every test on the store runs on both. */
export const databases: Database[] = ['sqlite', 'postgres']

after(stopOwnPostgres)

/** A database with all tables and no rows. */
export const freshPostgres = async (): Promise<string> => createDatabase(await sharedPostgres(), { template: migratedTemplate })

/** A database without tables. */
export const emptyPostgres = async (): Promise<string> => createDatabase(await sharedPostgres())

/** An empty store that is gone when the test is over. */
export const openTestStore = async (t: Scope, database: Database): Promise<Store> => {
  if (database === 'sqlite') return openTestSqlite(t)
  const store = await postgresStore(await freshPostgres())
  t.after(() => store.close())
  return store
}

export type Query = (sql: string) => Promise<Record<string, unknown>[]>

/** An empty store, and a second connection to its database for raw SQL. */
export const openTestDatabase = async (t: Scope, database: Database): Promise<{ store: Store; query: Query }> => {
  const closers: (() => unknown)[] = []
  const folder = await temporaryFolder(t, async () => {
    for (const close of closers) await close()
  })
  if (database === 'sqlite') {
    const file = join(folder, 'test.db')
    const store = await openSqlite(file)
    const raw = new DatabaseSync(file)
    closers.push(
      () => raw.close(),
      () => store.close(),
    )
    return { store, query: async (sql) => raw.prepare(sql).all() }
  }
  const url = await freshPostgres()
  const store = await postgresStore(url)
  const raw = new Client({ connectionString: url })
  await raw.connect()
  closers.push(
    () => raw.end(),
    () => store.close(),
  )
  return { store, query: async (sql) => (await raw.query<Record<string, unknown>>(sql)).rows }
}
