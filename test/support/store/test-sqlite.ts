import { join } from 'node:path'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { copyMigrated } from './migrated-sqlite.ts'

/** Tests write sequentially: waiting to group commits would only take time. */
export const openSqlite = async (file: string): Promise<Store> => {
  await copyMigrated(file)
  return sqliteStore(file, { commitWindowMs: 0 })
}

/** Empty store that is removed after the test or the measurement. */
export const openTestSqlite = async (t: Scope): Promise<Store> => {
  let store: Store | undefined
  const folder = await temporaryFolder(t, () => store?.close())
  store = await openSqlite(join(folder, 'test.db'))
  return store
}
