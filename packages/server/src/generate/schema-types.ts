import { DatabaseSync } from 'node:sqlite'
import { migrate } from '#adapters/store/migrate.ts'
import type { Schema } from '#adapters/store/schema/index.ts'
import { sqliteKysely } from '#adapters/store/sqlite/sqlite-driver.ts'
import { comments, documents, enumerations, fixed, flags, tablesByFile } from './schema-columns.ts'

interface Column {
  table: string
  name: string
  type: 'string' | 'number'
  nullable: boolean
  /** Whether the column has a default. */
  optional: boolean
  /** Texts that the database's check allows; empty without a check. */
  texts: readonly string[]
}

interface TableRow {
  name: string
  sql: string
}

interface ColumnRow {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

/** All columns of a new database after all migrations. */
export const migratedColumns = async (): Promise<Column[]> => {
  const database = new DatabaseSync(':memory:')
  await migrate(sqliteKysely<Schema>(database), 'sqlite')
  // Without the full-text index, which only SQLite has, in separate tables.
  const tables = database
    .prepare(
      `select name, sql from sqlite_schema where type = 'table'
        and name in (select name from pragma_table_list where type = 'table') order by name`,
    )
    .all() as unknown as TableRow[]
  const columns = tables
    .filter(({ name }) => !/^(sqlite|kysely)_/.test(name))
    .flatMap(({ name: table, sql }) => {
      const rows = database.prepare(`pragma table_info(${table})`).all() as unknown as ColumnRow[]
      return rows.map((row) => columnOf(table, sql, row))
    })
  database.close()
  return columns
}

const columnOf = (table: string, sql: string, { name, type, notnull, dflt_value: fallback, pk }: ColumnRow): Column => ({
  table,
  name,
  type: type.toLowerCase() === 'text' ? 'string' : 'number',
  // SQLite does not report a primary key as not null, PostgreSQL does.
  nullable: notnull === 0 && pk === 0,
  optional: fallback !== null || (pk > 0 && /autoincrement/i.test(sql)),
  texts: [...(new RegExp(`check \\(${name} in \\(('[^)]*')\\)\\)`).exec(sql)?.[1] ?? '').matchAll(/'([^']*)'/g)].map(
    ([, text = '']) => text,
  ),
})

/** Files of `adapters/store/schema` with the types of all tables. */
export const schemaFiles = (columns: readonly Column[]): Record<string, string> => {
  checkNames(columns)
  const folder = 'packages/server/src/adapters/store/schema'
  return Object.fromEntries(
    Object.entries(tablesByFile).map(([file, tables]) => [`${folder}/${file}.ts`, schemaFile(file, tables, columns)]),
  )
}

const schemaFile = (file: string, tables: readonly string[], columns: readonly Column[]): string => {
  const body = tables.flatMap((table) =>
    tableLines(
      table,
      columns.filter((column) => column.table === table),
    ),
  )
  const words = new Set(body.join('\n').match(/\b[A-Z]\w+\b(?!')/g))
  const named = [...words].filter((word) => columnTypes.has(word)).toSorted()
  return [
    '// Generated from the migrations: npm run generate.',
    ...(words.has('Generated') ? [`import type { Generated } from 'kysely'`] : []),
    ...(named.length > 0 ? [`import type { ${named.join(', ')} } from './columns.ts'`] : []),
    '',
    `export interface ${interfaceOf(file)} {`,
    ...body,
    '}',
    '',
  ].join('\n')
}

/** Exported by `columns.ts`. */
const columnTypes = new Set(['Fixed', 'Flag', 'Json', 'Serial', ...Object.values(enumerations).filter((name) => /^\w+$/.test(name))])

const interfaceOf = (file: string): string => `${file[0]?.toUpperCase()}${file.slice(1)}Schema`

const maxLineLength = 140

const tableLines = (table: string, columns: readonly Column[]): string[] => {
  const members = columns.map((column) => ({ line: `${column.name}: ${typeOf(column)}`, comment: comments[`${table}.${column.name}`] }))
  const short = `  ${table}: { ${members.map(({ line }) => line).join('; ')} }`
  const lines =
    short.length <= maxLineLength && members.every(({ comment }) => comment === undefined)
      ? [short]
      : [`  ${table}: {`, ...members.flatMap(({ line, comment }) => [...commentLine('    ', comment), `    ${line}`]), '  }']
  return [...commentLine('  ', comments[table]), ...lines]
}

const commentLine = (indent: string, text: string | undefined): string[] => (text === undefined ? [] : [`${indent}/** ${text} */`])

const typeOf = (column: Column): string => {
  const { table, name, type, nullable, optional, texts } = column
  const value = narrowOf(column) ?? (texts.length > 0 ? texts.map((text) => `'${text}'`).join(' | ') : type)
  const whole = nullable ? `${value} | null` : value
  if (fixed[table]?.includes(name)) return `Fixed<${whole}>`
  if (!optional) return whole
  return whole === 'number' && name === 'id' ? 'Serial' : `Generated<${whole}>`
}

const narrowOf = ({ table, name }: Column): string | undefined => {
  if (flags[table]?.includes(name)) return 'Flag'
  if (documents[table]?.includes(name)) return 'Json'
  return enumerations[`${table}.${name}`]
}

/** Rejects facts about missing columns as outdated, and tables without a file, which would have no type. */
const checkNames = (columns: readonly Column[]): void => {
  const known = new Set(columns.flatMap(({ table, name }) => [table, `${table}.${name}`]))
  const listed = [flags, documents, fixed].flatMap((list) =>
    Object.entries(list).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
  )
  const named = [...listed, ...Object.keys(enumerations), ...Object.keys(comments), ...Object.values(tablesByFile).flat()]
  const unknown = named.filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`generate/schema-columns.ts names what no migration makes: ${unknown.join(', ')}`)
  const placed = new Set(Object.values(tablesByFile).flat())
  const without = new Set(columns.map(({ table }) => table).filter((table) => !placed.has(table)))
  if (without.size > 0) throw new Error(`generate/schema-columns.ts names no file for: ${[...without].join(', ')}`)
}
