import { join } from 'node:path'
import type { RawDatabase } from '#adapters/store/raw-database.ts'
import type { PostgresLimits } from '#adapters/store/postgres/postgres-limits.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { withWrites } from '#core/kernel/watched-store.ts'
import { Histogram } from '#core/operate/metrics/families/distribution.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import { databaseBounds } from '#core/operate/metrics/families/table.ts'
import type { Log } from '#log/log-events.ts'
import { blame } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import type { LoadSources } from '#adapters/machine/load-sources.ts'

/** Name of the folder in messages to the operator. */
export const dataFolder = ({ OFFHOOK_DATA }: Settings): string => `The data folder ${OFFHOOK_DATA}`

interface OpenStoreDeps {
  log: Log
  metrics: MetricSources
  commitWindowMs?: number
  databaseLimits?: Partial<PostgresLimits>
  load?: LoadSources
}

export const openStore = async (settings: Settings, deps: OpenStoreDeps): Promise<{ opened: Store; database: RawDatabase }> => {
  const store = await openDatabase(settings, deps)
  const opened = settings.OFFHOOK_METRICS_TOKEN === undefined && !deps.load ? store : measuringWrites(store, deps)
  return { opened, database: store.raw }
}

const openDatabase = async (
  settings: Settings,
  { log, metrics, load, databaseLimits: limits = {}, ...options }: OpenStoreDeps,
): Promise<Store & { readonly raw: RawDatabase }> => {
  const { OFFHOOK_DATA, DATABASE_URL, OFFHOOK_DB_POOL: connections } = settings
  if (DATABASE_URL === undefined) return sqliteStore(join(OFFHOOK_DATA, 'offhook.db'), options).catch(blame(dataFolder(settings)))
  const { postgresStore } = await import('#adapters/store/postgres-store.ts')
  const onError = (error: Error): void => log('database_connection_lost', { err: error })
  const queries = new Histogram(databaseBounds)
  const onAnswered = (seconds: number): void => {
    queries.add(seconds)
    load?.accessed(seconds)
  }
  const store = await postgresStore(DATABASE_URL, { connections, limits, onError, onAnswered }).catch(blame('The database of DATABASE_URL'))
  if (load) load.pool = () => store.pool
  store.reach.watch((away) => log(away ? 'database_away' : 'database_back'))
  metrics.add(() => [
    { name: 'offhook_db_pool_size', value: store.pool.size },
    { name: 'offhook_db_pool_idle', value: store.pool.idle },
    { name: 'offhook_db_pool_waiting', value: store.pool.waiting },
    { name: 'offhook_db_query_seconds', value: queries },
  ])
  return store
}

const measuringWrites = (store: Store, { metrics, load }: OpenStoreDeps): Store => {
  const writes = new Histogram(databaseBounds)
  metrics.add(() => [{ name: 'offhook_db_write_seconds', value: writes }])
  return withWrites(store, async (work, patient) => {
    const startedAt = performance.now()
    const result = await store.write(work, patient)
    const seconds = (performance.now() - startedAt) / 1000
    writes.add(seconds)
    if (!store.reach) load?.accessed(seconds)
    return result
  })
}
