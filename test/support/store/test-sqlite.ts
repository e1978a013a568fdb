import { join } from 'node:path'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { copyMigrated } from './migrated-sqlite.ts'

/** Tests write one thing after the other: waiting for others to be written with it would only take time. */
export const openSqlite = async (file: string): Promise<Store> => {
  await copyMigrated(file)
  return sqliteStore(file, { commitWindowMs: 0 })
}

/** An empty store that is gone when the test or the measurement is over. */
export const openTestSqlite = async (t: Scope): Promise<Store> => {
  let store: Store | undefined
  const folder = await temporaryFolder(t, () => store?.close())
  store = await openSqlite(join(folder, 'test.db'))
  return store
}
