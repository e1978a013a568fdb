import type { Kysely } from 'kysely'
import { migrations, schemaRelease } from './migrate.ts'
import { changesMade, releaseOf } from './schema-release.ts'
import type { Dialect } from './schema/dialect.ts'
import type { Schema } from './schema/index.ts'

/** Which schema a database has, as far as versions of the program can work with it. */
export interface SchemaState {
  /** The newest release that it was brought to; 0: it is empty. */
  release: number
  /** The oldest release whose programs can work with it. */
  oldestReader: number
  /** Names of the changes that were made, the newest last. */
  made: string[]
}

export const readSchemaState = async (db: Kysely<Schema>, dialect: Dialect): Promise<SchemaState> => {
  const made = (await changesMade(db, dialect)).toSorted()
  const noted = await releaseOf(db, dialect)
  if (noted) return { release: noted.newest, oldestReader: noted.min_reader, made }
  // Before releases were noted there was one.
  return { release: made.length === 0 ? 0 : 1, oldestReader: made.length === 0 ? 0 : 1, made }
}

/** What a start of this version would change. */
export const changesAhead = ({ made }: Pick<SchemaState, 'made'>): { name: string; kind: 'expand' | 'contract'; release: number }[] =>
  Object.entries(migrations)
    .filter(([name]) => !made.includes(name))
    .map(([name, { kind, release }]) => ({ name, kind, release }))

/** Whether this version can work with it. */
export const canWorkWith = ({ oldestReader }: Pick<SchemaState, 'oldestReader'>): boolean => schemaRelease >= oldestReader
