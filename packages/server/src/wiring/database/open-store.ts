import { join } from 'node:path'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Log } from '#log/log-events.ts'
import { blame } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'

/** As it is called in messages to the operator. */
export const dataFolder = ({ OFFHOOK_DATA }: Settings): string => `The data folder ${OFFHOOK_DATA}`

export const openStore = async (settings: Settings, log: Log, options: { commitWindowMs?: number }): Promise<Store> => {
  const { OFFHOOK_DATA, DATABASE_URL, OFFHOOK_DB_POOL: connections } = settings
  if (DATABASE_URL === undefined) return sqliteStore(join(OFFHOOK_DATA, 'offhook.db'), options).catch(blame(dataFolder(settings)))
  const { postgresStore } = await import('#adapters/store/postgres-store.ts')
  const onError = (error: Error): void => log('database_connection_lost', { err: error })
  const store = await postgresStore(DATABASE_URL, { connections, onError }).catch(blame('The database of DATABASE_URL'))
  store.reach.watch((away) => log(away ? 'database_away' : 'database_back'))
  return store
}
