import { sql, type Kysely } from 'kysely'
import type { Dialect } from './schema/dialect.ts'
import type { Schema } from './schema/index.ts'

/** The schema is of a release that this version is too old for. */
export class SchemaTooNew extends Error {
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

/** Changes that were made already, also those that this version does not know. */
export const changesMade = async (db: Kysely<Schema>, dialect: Dialect): Promise<string[]> => {
  if (!(await hasTable(db, dialect, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}

export const refuseTooNew = async (db: Kysely<Schema>, dialect: Dialect, ours: number): Promise<void> => {
  if (!(await hasTable(db, dialect, 'schema_release'))) return
  const { newest, min_reader: oldest } = await db.selectFrom('schema_release').selectAll().executeTakeFirstOrThrow()
  if (ours < oldest) throw new SchemaTooNew(newest, ours)
}

/** Processes of the release before can go on; older ones cannot start any more. */
export const noteRelease = async (db: Kysely<Schema>, ours: number): Promise<void> => {
  await db
    .updateTable('schema_release')
    .set({ newest: ours, min_reader: ours - 1 })
    .where('newest', '<', ours)
    .execute()
}
