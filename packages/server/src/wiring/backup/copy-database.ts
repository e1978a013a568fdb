import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pacedBytes, pacedFile } from '#adapters/archive/paced-file.ts'
import { withPostgres, withSqlite } from '#adapters/store/plain-database.ts'
import { readSchemaState, type SchemaState } from '#adapters/store/schema-state.ts'
import { copyOnline } from '#adapters/store/sqlite/online-copy.ts'
import type { Settings } from '#settings/config.ts'
import type { Manifest } from './manifest.ts'
import { Refused } from './refused.ts'

/** The database as it was at one moment, as a file. */
export interface DatabaseCopy {
  path: string
  bytes: number
  about: Manifest['database']
}

export const copyDatabase = async (settings: Settings, folder: string, signal: AbortSignal): Promise<DatabaseCopy> => {
  const path = join(folder, 'database')
  const { DATABASE_URL: url, OFFHOOK_DATA: data } = settings
  const about = url === undefined ? await copySqlite(join(data, 'offhook.db'), path, signal) : await copyPostgres(url, path, signal)
  return { path, about, bytes: (await stat(path)).size }
}

const aboutSchema = ({ release, oldestReader, made }: SchemaState) => {
  const lastMigration = made.at(-1)
  if (lastMigration === undefined) throw new Refused('The database is empty: there is nothing to back up.')
  return { release, oldestReader, lastMigration }
}

const copySqlite = async (file: string, to: string, signal: AbortSignal): Promise<Manifest['database']> => {
  await stat(file).catch(() => Promise.reject(new Refused(`There is no database ${file}: is OFFHOOK_DATA right?`)))
  await copyOnline(file, to, { signal, pacedBytes })
  const state = await withSqlite(to, { readOnly: true }, (db) => readSchemaState(db, 'sqlite'))
  return { engine: 'sqlite', ...aboutSchema(state) }
}

const copyPostgres = async (url: string, to: string, signal: AbortSignal): Promise<Manifest['database']> => {
  const { dumped } = await import('#adapters/store/postgres/postgres-dump.ts')
  const { findProgram } = await import('#adapters/store/postgres/postgres-programs.ts')
  const { serverMajor } = await import('#adapters/store/postgres/postgres-server.ts')
  const look = () => withPostgres(url, async (db) => ({ major: await serverMajor(db), state: await readSchemaState(db, 'postgres') }))
  const { major, state } = await look()
  const { path: program } = await findProgram('pg_dump', major)
  const file = await pacedFile(to)
  try {
    for await (const piece of dumped({ program, url, signal })) await file.write(piece)
  } finally {
    await file.close()
  }
  const later = (await look()).state
  if (later.made.length !== state.made.length)
    throw new Refused('The database was brought to a new schema meanwhile. Make the backup once more.')
  return { engine: 'postgres', ...aboutSchema(state), serverMajor: major }
}
