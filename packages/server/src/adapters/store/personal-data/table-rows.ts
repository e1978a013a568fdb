import { callIdOf } from '@offhook/contract/assistant/session.ts'
import { sql, type RawBuilder } from 'kysely'
import type { RawDatabase } from '../raw-database.ts'
import type { Db } from '../schema/index.ts'
import { catalogue, type Kind, type Table, tables } from './catalogue/index.ts'
import { separators, type Mentions } from './mentions.ts'
import { bound, type Scope } from './scope.ts'

export type Row = Readonly<Record<string, unknown>>
export type Condition = RawBuilder<unknown>

/** Rows per transaction: writers queue behind it. */
const rowsPerBatch = 100
/** Limit for rows with sound or documents. */
const contentsAtOnce = 10
/** Limit for rows whose texts are scanned word by word. */
const mentionsAtOnce = 20
/** Rows scanned per query. */
const scannedAtOnce = 2_000

const searched: ReadonlySet<Kind> = new Set<Kind>(['name', 'email', 'number', 'address', 'network', 'words'])

/** Columns that may mention a person. */
export const textsOf = (table: Table): string[] =>
  Object.entries<Kind>(catalogue[table].columns)
    .filter(([, kind]) => searched.has(kind))
    .map(([column]) => column)

const holdsContent = (table: Table): boolean => Object.values<Kind>(catalogue[table].columns).includes('content')

export const keyOf = (table: Table): readonly string[] => catalogue[table].key

const columnList = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))

const keyColumns = (table: Table): RawBuilder<unknown> => {
  const [only, ...others] = keyOf(table)
  return others.length === 0 ? sql.ref(only ?? '') : sql`(${columnList(keyOf(table))})`
}

const keyValues = (table: Table, row: Row): RawBuilder<unknown> => {
  const values = keyOf(table).map((column) => sql`${row[column] as string | number}`)
  return values.length === 1 ? sql`${values[0]}` : sql`(${sql.join(values)})`
}

/** Matches these rows by key. */
export const isOneOf = (table: Table, rows: readonly Row[]): Condition =>
  sql`${keyColumns(table)} in (${sql.join(rows.map((row) => keyValues(table, row)))})`

/** Rows after this one in key order. A table whose key begins with the account is only queried for rows of one account. */
const isAfter = (table: Table, last: Row): Condition => {
  const [first, ...rest] = keyOf(table)
  if (first !== 'account_id' || rest.length === 0) return sql`${keyColumns(table)} > ${keyValues(table, last)}`
  const values = sql.join(rest.map((column) => sql`${last[column] as string | number}`))
  return sql`account_id = ${last.account_id} and (${columnList(rest)}) > (${values})`
}

/** In batches, in key order. `columns`: in addition to the key; default: all. */
export async function* rowsWhere(
  database: RawDatabase,
  table: Table,
  condition: Condition,
  columns?: readonly string[],
): AsyncGenerator<Row[], void, undefined> {
  const selected = columns ? columnList([...new Set([...keyOf(table), ...columns])]) : sql`*`
  const limit = columns || !holdsContent(table) ? rowsPerBatch : contentsAtOnce
  let last: Row | undefined
  do {
    const after = last ? sql`and ${isAfter(table, last)}` : sql``
    const rows = await database.ask(
      sql<Row>`select ${selected} from ${sql.table(table)} where (${condition}) ${after} order by ${columnList(keyOf(table))} limit ${limit}`,
    )
    if (rows.length > 0) yield rows
    last = rows.length === limit ? rows.at(-1) : undefined
  } while (last)
}

/** In batches; returns the number of rows. They are searched outside of the transaction, so that writers do not wait. */
export const deleteWhere = async (database: RawDatabase, table: Table, condition: Condition): Promise<number> => {
  let deleted = 0
  for await (const rows of rowsWhere(database, table, condition, [])) deleted += await database.write((db) => deleteRows(db, table, rows))
  return deleted
}

export const deleteRows = async (db: Db, table: Table, rows: readonly Row[]): Promise<number> => {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${isOneOf(table, rows)}`.execute(db)
  return Number(numAffectedRows)
}

/** `change`: SQL by column. */
export const changeWhere = async (
  database: RawDatabase,
  table: Table,
  condition: Condition,
  change: Readonly<Record<string, RawBuilder<unknown>>>,
): Promise<number> => {
  let changed = 0
  for await (const rows of rowsWhere(database, table, condition))
    changed += await database.write((db) => changeRows(db, table, rows, change))
  return changed
}

export const changeRows = async (
  db: Db,
  table: Table,
  rows: readonly Row[],
  change: Readonly<Record<string, RawBuilder<unknown>>>,
): Promise<number> => {
  const set = sql.join(Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
  const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${set} where ${isOneOf(table, rows)}`.execute(db)
  return Number(numAffectedRows)
}

/** Keys of rows whose texts seem to mention the person, in batches; the texts themselves decide. */
export async function* mentioningRows(database: RawDatabase, table: Table, scope: Scope): AsyncGenerator<Row[], void, undefined> {
  const texts = textsOf(table)
  if (texts.length === 0 || scope.mentions.isEmpty) return
  const key = columnList(keyOf(table))
  const belongs = bound(catalogue[table].mentionWhere ?? catalogue[table].account.where, scope.params)
  const hit = sql`case when (${belongs}) and (${seemsIn(database.dialect, texts, scope.mentions)}) then 1 else 0 end`
  // Only an index that begins with the account finds its rows; other tables are scanned completely.
  const near = keyOf(table)[0] === 'account_id' ? sql`account_id = ${scope.accountId}` : sql`1 = 1`
  let last: Row | undefined
  do {
    const after = last ? sql`and ${isAfter(table, last)}` : sql``
    const rows: Row[] = await database.ask(
      sql<Row>`select ${key}, ${hit} as hit from (
        select * from ${sql.table(table)} where ${near} ${after} order by ${key} limit ${scannedAtOnce}) as ${sql.table(table)} order by ${key}`,
    )
    const hits = rows.filter(({ hit: isHit }) => isHit === 1)
    for (let from = 0; from < hits.length; from += mentionsAtOnce) yield hits.slice(from, from + mentionsAtOnce)
    last = rows.length === scannedAtOnce ? rows.at(-1) : undefined
  } while (last)
}

const seemsIn = (dialect: RawDatabase['dialect'], texts: readonly string[], { digits, words }: Mentions): Condition => {
  const position = sql.raw(dialect === 'sqlite' ? 'instr' : 'strpos')
  return sql.join(
    texts.flatMap((column) => {
      const text = sql`coalesce(${sql.ref(column)}, '')`
      const bare = separators.reduce<RawBuilder<unknown>>((stripped, mark) => sql`replace(${stripped}, ${sql.lit(mark)}, '')`, text)
      return [
        ...digits.map((number) => sql`${position}(${bare}, ${number}) > 0`),
        ...words.map((word) => sql`${position}(lower(${text}), ${word}) > 0`),
      ]
    }),
    sql` or `,
  )
}

/** Ids of the person's calls, messages and faxes, and of their history entries. */
export const findEvents = async (database: RawDatabase, scope: Scope): Promise<Set<string>> => {
  const events = new Set<string>()
  for (const table of tables) {
    const { names = [], mention: noteInHistory } = catalogue[table]
    if (names.length === 0) continue
    const note = (rows: readonly Row[]): void => {
      for (const row of rows) for (const column of names) events.add(String(row[column]))
    }
    for (const condition of conditionsOf(table, scope)) for await (const rows of rowsWhere(database, table, condition, names)) note(rows)
    if (noteInHistory !== 'delete') continue
    for await (const keys of mentioningRows(database, table, scope)) note(await mentioning(database, table, scope, keys))
  }
  for await (const rows of rowsWhere(database, 'call_result', laterSessions(scope), ['call_id']))
    for (const { call_id: id } of rows) if (events.has(callIdOf(String(id)))) events.add(String(id))
  return events
}

/** Results of later assistants of a call: `callId.2`. Their sessions are removed long before. */
const laterSessions = ({ params }: Scope): Condition =>
  sql`${bound(catalogue.call_result.account.where, params)} and ${sql.ref('call_id')} like '%.%'`

/** Conditions that find rows of the person in a table by a column. */
export const conditionsOf = (table: Table, { subject, params, mentions }: Scope): Condition[] => {
  const { account, user, number } = catalogue[table]
  const conditions: Condition[] = []
  if (subject.type === 'user' && user) conditions.push(bound(user.where, params))
  if (number && mentions.spellings.length > 0) {
    const isTheirs = number.columns.map((column) => sql`${sql.ref(column)} in (${sql.join([...mentions.spellings])})`)
    conditions.push(sql`${bound(account.where, params)} and (${sql.join(isTheirs, sql` or `)})`)
  }
  return conditions
}

const mentioning = async (database: RawDatabase, table: Table, { mentions }: Scope, keys: readonly Row[]): Promise<Row[]> => {
  const rows = await database.ask(sql<Row>`select * from ${sql.table(table)} where ${isOneOf(table, keys)}`)
  return rows.filter((row) => textsOf(table).some((column) => typeof row[column] === 'string' && mentions.isIn(row[column])))
}
