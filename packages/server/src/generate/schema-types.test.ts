import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '#test/store/databases.ts'
import { migratedColumns } from './schema-types.ts'

interface Row {
  table_name: string
  column_name: string
  data_type: string
  is_nullable: string
  column_default: string | null
  is_identity: string
}

/** The types are generated from SQLite. */
test('has the same tables and columns in PostgreSQL as in SQLite, with the same types, nullability and defaults', async (t) => {
  const { query } = await openTestDatabase(t, 'postgres')
  const rows = (await query(
    `select * from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
      and table_name not in (select relname from pg_class where relispartition)`,
  )) as unknown as Row[]
  const inPostgres = rows.map(({ table_name: table, column_name: name, data_type: type, ...row }) => {
    assert.match(type, /^(text|integer|bigint)$/, `${table}.${name}`)
    const optional = row.column_default !== null || row.is_identity === 'YES'
    return `${table}.${name}: ${type === 'text' ? 'string' : 'number'}, null ${row.is_nullable === 'YES'}, optional ${optional}`
  })
  const columns = await migratedColumns()
  const inSqlite = columns.map(
    ({ table, name, type, nullable, optional }) => `${table}.${name}: ${type}, null ${nullable}, optional ${optional}`,
  )
  assert.ok(inSqlite.length > 400)
  assert.deepEqual(inPostgres.toSorted(), inSqlite.toSorted())
})
