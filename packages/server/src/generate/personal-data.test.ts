import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, tables, type Kind } from '#adapters/store/personal-data/catalogue/index.ts'
import { enumerations } from './schema-columns.ts'
import { migratedColumns } from './schema-types.ts'

test('classifies every text column of every table in the catalogue', async () => {
  const texts = (await migratedColumns()).filter(({ type, texts: allowed }) => type === 'string' && allowed.length === 0)
  const isClassified = ({ table, name }: { table: string; name: string }): boolean =>
    table in catalogue && name in (catalogue[table as keyof typeof catalogue].columns as Record<string, Kind>)
  const missing = texts.filter((column) => !isClassified(column)).map(({ table, name }) => `${table}.${name}`)
  assert.deepEqual(
    missing.filter((column) => !(column in enumerations)),
    [],
    'name the column in adapters/store/personal-data/catalogue: its kind, or `no` when it never holds anything about a person',
  )
})

test('names only existing tables and columns in the catalogue', async () => {
  const known = new Set((await migratedColumns()).flatMap(({ table, name }) => [table, `${table}.${name}`]))
  const named = tables.flatMap((table) => {
    const { columns, key, names = [], event, number } = catalogue[table]
    const all = [...Object.keys(columns), ...key, ...names, ...(event === undefined ? [] : [event]), ...(number?.columns ?? [])]
    return [table, ...all.map((column) => `${table}.${column}`)]
  })
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  )
})
