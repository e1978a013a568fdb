import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { schemaRelease, canWorkWith, changesAhead, readSchemaState, type SchemaState } from '#adapters/store/migrate.ts'
import { withPostgres, withSqlite } from '#adapters/store/plain-database.ts'
import { blame } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import { dataFolder } from './open-store.ts'

/** Effect of starting this version on the database, determined without changes. */
export interface UpgradeOutlook {
  /** Name of the database in messages to the operator. */
  database: string
  /** Undefined: there is none yet, or it is empty. */
  schema: SchemaState | undefined
  ours: number
  /** Whether this version can start on it. */
  starts: boolean
  ahead: ReturnType<typeof changesAhead>
  /** Oldest release that can use the database after the start. */
  oldestReader: number
  /** Whether the running release can continue in parallel, and take over again. */
  canGoBack: boolean
}

export const upgradeOutlook = async (settings: Settings): Promise<UpgradeOutlook> => {
  const { DATABASE_URL: url, OFFHOOK_DATA: data } = settings
  const found = url === undefined ? await sqliteState(settings) : await postgresState(url)
  const schema = found && found.release > 0 ? found : undefined
  const starts = schema === undefined || canWorkWith(schema)
  const oldestReader = Math.max(schema?.oldestReader ?? 0, schemaRelease - 1)
  return {
    database: url === undefined ? `SQLite in ${data}` : 'PostgreSQL of DATABASE_URL',
    schema,
    ours: schemaRelease,
    starts,
    ahead: starts ? changesAhead({ made: schema?.made ?? [] }) : [],
    oldestReader,
    canGoBack: schema === undefined || schema.release >= oldestReader,
  }
}

const sqliteState = async (settings: Settings): Promise<SchemaState | undefined> => {
  const file = join(settings.OFFHOOK_DATA, 'offhook.db')
  if (!existsSync(file)) return undefined
  return withSqlite(file, { readOnly: true }, (db) => readSchemaState(db, 'sqlite')).catch(blame(dataFolder(settings)))
}

const postgresState = (url: string): Promise<SchemaState> =>
  withPostgres(url, (db) => readSchemaState(db, 'postgres')).catch(blame('The database of DATABASE_URL'))
