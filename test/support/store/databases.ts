import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import { Client } from 'pg'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import type { PostgresLimits } from '#adapters/store/postgres/postgres-limits.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { migratedTemplate, sharedPostgres, stopOwnPostgres } from './migrated-postgres.ts'
import { createDatabase } from './postgres.ts'
import { openSqlite, openTestSqlite } from './test-sqlite.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

export { temporaryFolder } from '../machine/temporary-folder.ts'

export type Database = 'sqlite' | 'postgres'

/** For tests whose outcome depends on the database: statements, locks, isolation, migrations, and one journey per area. */
export const bothDatabases: readonly Database[] = ['sqlite', 'postgres']

/** For tests of rules. `npm test` runs them on SQLite alone; `npm run test:nightly` and a run of named files use both. */
export const databases: readonly Database[] = process.env.OFFHOOK_TEST_DATABASES === 'sqlite' ? ['sqlite'] : bothDatabases

/** Generous limits: a busy machine must not count as an unavailable database. */
export const patientLimits: PostgresLimits = {
  connectMs: 60_000,
  answerMs: 60_000,
  soonThresholdMs: 60_000,
  queryMs: 60_000,
  statementMs: 60_000,
  standstillMs: 60_000,
}

after(stopOwnPostgres)

/** Database with all tables and no rows. */
export const freshPostgres = async (): Promise<string> => createDatabase(await sharedPostgres(), { template: migratedTemplate })

/** Database without tables. */
export const emptyPostgres = async (): Promise<string> => createDatabase(await sharedPostgres())

/** Empty store that is removed after the test. */
export const openTestStore = async (t: Scope, database: Database): Promise<Store> => {
  if (database === 'sqlite') return openTestSqlite(t)
  const store = await postgresStore(await freshPostgres(), { limits: patientLimits })
  t.after(() => store.close())
  return store
}

export type Query = (sql: string) => Promise<Record<string, unknown>[]>

/** Empty store, and a second connection to its database for raw SQL. */
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
  const store = await postgresStore(url, { limits: patientLimits })
  const raw = new Client({ connectionString: url })
  await raw.connect()
  closers.push(
    () => raw.end(),
    () => store.close(),
  )
  return { store, query: async (sql) => (await raw.query<Record<string, unknown>>(sql)).rows }
}
