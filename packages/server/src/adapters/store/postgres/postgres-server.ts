import { sql, type Kysely } from 'kysely'
import type { Schema } from '../schema/index.ts'

/** Of its version. */
export const serverMajor = async (db: Kysely<Schema>): Promise<number> => {
  const { rows } = await sql<{ number: string }>`select current_setting('server_version_num') as number`.execute(db)
  return Math.floor(Number(rows[0]?.number) / 10_000)
}

/** A table or the like that is in the database already, and belongs to no extension; undefined: it is empty. */
export const anyTable = async (db: Kysely<Schema>): Promise<string | undefined> => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%' and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1 limit 1`.execute(db)
  return rows[0]?.name
}
