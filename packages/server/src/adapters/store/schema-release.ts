import { sql, type Kysely } from 'kysely'
import type { Dialect } from './schema/dialect.ts'
import type { Schema } from './schema/index.ts'

/** The schema's release is too new for this version. */
class SchemaTooNew extends Error {
  readonly code = 'DATABASE_TOO_NEW'

  constructor(newest: number, ours: number) {
    super(
      `a newer version has brought it to release ${newest}, and this version is of release ${ours}, which works with release ${ours + 1} at most: start the newer version`,
    )
    this.name = 'SchemaTooNew'
  }
}

const hasTable = async (db: Kysely<Schema>, dialect: Dialect, name: string): Promise<boolean> => {
  const { rows } =
    dialect === 'sqlite'
      ? await sql`select name from sqlite_master where name = ${name}`.execute(db)
      : await sql`select 1 where to_regclass(${name}) is not null`.execute(db)
  return rows.length > 0
}

/** Applied changes, including those unknown to this version. */
export const changesMade = async (db: Kysely<Schema>, dialect: Dialect): Promise<string[]> => {
  if (!(await hasTable(db, dialect, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}

/** Undefined on a database from before releases were recorded, and on an empty one. */
export const releaseOf = async (
  db: Kysely<Schema>,
  dialect: Dialect,
): Promise<Pick<Schema['schema_release'], 'newest' | 'min_reader'> | undefined> =>
  (await hasTable(db, dialect, 'schema_release'))
    ? db.selectFrom('schema_release').select(['newest', 'min_reader']).executeTakeFirstOrThrow()
    : undefined

export const refuseTooNew = async (db: Kysely<Schema>, dialect: Dialect, ours: number): Promise<void> => {
  const noted = await releaseOf(db, dialect)
  if (noted && ours < noted.min_reader) throw new SchemaTooNew(noted.newest, ours)
}

/** Processes of the previous release continue to work; older ones can no longer start. */
export const noteRelease = async (db: Kysely<Schema>, ours: number): Promise<void> => {
  await db
    .updateTable('schema_release')
    .set({ newest: ours, min_reader: ours - 1 })
    .where('newest', '<', ours)
    .execute()
}

/**
 * One schema change. `expand`: the previous release continues to work with it, so that both can run in parallel and the newer one can be
 * rolled back. `contract`: removes parts that the previous release no longer uses.
 */
export interface SchemaChange {
  kind: 'expand' | 'contract'
  /** Counted from 1; one for each published version with schema changes. */
  release: number
  statements: (dialect: Dialect) => string[]
}

export const expand = (release: number, statements: SchemaChange['statements']): SchemaChange => ({ kind: 'expand', release, statements })
