import { sql, type RawBuilder } from 'kysely'
import { auditGenesis, auditHash, brokenAuditEntry } from '#core/kernel/audit/audit-hash.ts'
import type { AuditEntry } from '#core/kernel/ports/store/operate.ts'
import type { StatementKind } from '#core/kernel/ports/store/money.ts'
import { hashOf } from '#core/money/statement.ts'
import type { RawDatabase } from '../raw-database.ts'
import type { Db } from '../schema/index.ts'
import { catalogue, tables, type Table } from './catalogue/index.ts'
import {
  findEvents,
  changeRows,
  changeWhere,
  deleteRows,
  deleteWhere,
  isOneOf,
  keyOf,
  mentioningRows,
  textsOf,
  type Condition,
  type Row,
  rowsWhere,
} from './table-rows.ts'
import { placeholder } from './mentions.ts'
import { reindexPassage, redactText } from './redact-text.ts'
import { bound, type Scope } from './scope.ts'

/** Rows that others are found by or refer to: they are deleted last, in this order. */
const last: readonly Table[] = [
  'session',
  'sms',
  'fax',
  'history_entry',
  'timeline',
  'sim_order',
  'sim',
  'test_run',
  'knowledge_document',
  'porting',
  'phone_number',
  'flow',
  'extension',
  'contact',
  'app_user',
  'address',
  'account',
]

const inOrder: readonly Table[] = [...tables.filter((table) => !last.includes(table)), ...last]

/** Erases the rows of a subject; may be interrupted and repeated at any point. `again`: it was interrupted before. */
export const eraseRows = async (database: RawDatabase, scope: Scope, again: boolean): Promise<Erased> => {
  const erased = new Erased()
  const chains = [scope.accountId, 'operator']
  const broken = new Map<string, number | undefined>()
  for (const chain of again ? [] : chains) broken.set(chain, await brokenAt(database, chain))
  if (scope.subject.type === 'account') await eraseOfAccount(database, scope, erased)
  else await eraseOfPerson(database, scope, erased)
  for (const chain of erased.tables.has('audit') || again ? chains : []) await rehashAudit(database, chain, broken.get(chain))
  return erased
}

const eraseOfAccount = async (database: RawDatabase, scope: Scope, erased: Erased): Promise<void> => {
  for (const table of inOrder.filter((one) => catalogue[one].mentionWhere !== undefined))
    await eraseMentions(database, table, scope, erased)
  await eraseAccountOf(database, scope, erased)
  for (const table of inOrder) {
    const { where, erase } = catalogue[table].account
    if (erase !== 'keep') await eraseWhere(database, table, bound(where, scope.params), { change: erase, scope, erased })
  }
}

const eraseOfPerson = async (database: RawDatabase, scope: Scope, erased: Erased): Promise<void> => {
  const events = [...(await findEvents(database, scope))]
  for (let from = 0; from < events.length; from += eventsAtOnce)
    await eraseEvents(database, scope, events.slice(from, from + eventsAtOnce), erased)
  // An interrupted erasure identifies the person by this row.
  const others = inOrder.filter((table) => table !== 'app_user')
  for (const table of others) await eraseDirect(database, table, scope, erased)
  for (const table of others) await eraseMentions(database, table, scope, erased)
  await eraseDirect(database, 'app_user', scope, erased)
  if (scope.subject.type !== 'contact') return
  const isContact = sql`account_id = ${scope.accountId} and id = ${scope.subject.contactId}`
  erased.noteDeleted('contact', await deleteWhere(database, 'contact', isContact))
}

const eventsAtOnce = 100

/** All rows of one of these calls, messages or faxes. */
const eraseEvents = async (database: RawDatabase, scope: Scope, events: readonly string[], erased: Erased): Promise<void> => {
  for (const table of inOrder) {
    const { event, account } = catalogue[table]
    if (event === undefined) continue
    const condition = sql`${bound(account.where, scope.params)} and ${sql.ref(event)} in (${sql.join(events)})`
    await eraseWhere(database, table, condition, { change: undefined, scope, erased })
  }
}

/** Rows with an owner column. */
const eraseDirect = async (database: RawDatabase, table: Table, scope: Scope, erased: Erased): Promise<void> => {
  const { account, user, number } = catalogue[table]
  if (scope.subject.type === 'user' && user && user.erase !== 'keep')
    await eraseWhere(database, table, bound(user.where, scope.params), { change: user.erase, scope, erased })
  if (!number || scope.mentions.spellings.length === 0) return
  const isTheirs = sql.join(
    number.columns.map((column) => sql`${sql.ref(column)} in (${sql.join([...scope.mentions.spellings])})`),
    sql` or `,
  )
  const condition = sql`${bound(account.where, scope.params)} and (${isTheirs})`
  await eraseWhere(database, table, condition, { change: number.erase, scope, erased })
}

interface EraseOptions {
  change: Readonly<Record<string, string | undefined>> | undefined
  scope: Scope
  erased: Erased
}

const eraseWhere = async (
  database: RawDatabase,
  table: Table,
  condition: Condition,
  { change, scope, erased }: EraseOptions,
): Promise<void> => {
  if (!change) return erased.noteDeleted(table, await deleteWhere(database, table, condition))
  const values = Object.fromEntries(Object.entries(change).map(([column, value]) => [column, bound(value ?? 'null', scope.params)]))
  erased.noteChanged(table, await changeWhere(database, table, condition, values))
}

/** Rows of others that mention the person. */
const eraseMentions = async (database: RawDatabase, table: Table, scope: Scope, erased: Erased): Promise<void> => {
  if (catalogue[table].mention === 'leave') return
  for await (const keys of mentioningRows(database, table, scope)) {
    const done = await database.write(async (db) => {
      const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${isOneOf(table, keys)}`.execute(db)
      const counts = { deleted: 0, changed: 0 }
      for (const row of rows) counts[await eraseMention(db, table, scope, row)]++
      return counts
    })
    erased.noteDeleted(table, done.deleted)
    erased.noteChanged(table, done.changed)
  }
}

const eraseMention = async (db: Db, table: Table, scope: Scope, row: Row): Promise<'deleted' | 'changed'> => {
  const { mention: noteInHistory } = catalogue[table]
  const change = redactedColumns(table, scope, row)
  if (Object.keys(change).length === 0) return 'changed'
  if (noteInHistory === 'delete' || (table === 'contact' && isEmptyContact(row, change))) {
    await deleteRows(db, table, [row])
    return 'deleted'
  }
  const extra = table === 'statement' ? rehashStatement(row, change) : {}
  const values: Record<string, RawBuilder<unknown>> = {}
  for (const [column, text] of Object.entries({ ...change, ...extra })) values[column] = sql`${text}`
  await changeRows(db, table, [row], values)
  if (table === 'knowledge_passage') await reindexPassage(db, row, change)
  return 'changed'
}

const redactedColumns = (table: Table, { mentions, params }: Scope, row: Row): Record<string, string> => {
  const change: Record<string, string> = {}
  const prune = catalogue[table].mention === 'prune'
  for (const column of textsOf(table)) {
    const text = row[column]
    if (typeof text !== 'string') continue
    // Two rows distinguished by the person's name must stay distinct.
    const by = keyOf(table).includes(column) ? String(params.pseudonym) : placeholder
    const redacted = redactText(text, mentions, { prune, by })
    if (redacted !== text) change[column] = redacted
  }
  return change
}

/** Its name was the person's, or it has no number left. */
const isEmptyContact = (row: Row, change: Readonly<Record<string, string>>): boolean =>
  change.name === placeholder || (change.numbers === '[]' && row.numbers !== '[]')

/** The law requires these rows of an account: persons in them are pseudonymised. */
const eraseAccountOf = async (database: RawDatabase, { accountId }: Scope, erased: Erased): Promise<void> => {
  for await (const rows of rowsWhere(database, 'statement', sql`account_id = ${accountId}`))
    for (const row of rows) {
      const content = { ...(JSON.parse(String(row.content)) as object), customer: { accountId, company: placeholder } }
      const change = { content: JSON.stringify(content) }
      const values = { content: sql`${change.content}`, hash: sql`${rehashStatement(row, change).hash}` }
      erased.noteChanged('statement', await database.write((db) => changeRows(db, 'statement', [row], values)))
    }
  const nothing = { target: sql`${placeholder}`, detail: sql`${JSON.stringify(placeholder)}` }
  for await (const rows of rowsWhere(database, 'audit', sql`chain = ${accountId} and target <> ${placeholder}`))
    erased.noteChanged('audit', await database.write((db) => changeRows(db, 'audit', rows, nothing)))
}

const rehashStatement = (row: Row, { content }: { content?: string }): { hash: string } => ({
  hash: hashOf({
    accountId: String(row.account_id),
    month: String(row.month),
    kind: row.kind as StatementKind,
    number: Number(row.number),
    content: content ?? String(row.content),
  }),
})

/** Entries per transaction. */
const entriesPerBatch = 200

/** The first entry that does not follow from the previous one: the log was tampered with, and that has to stay visible. */
const brokenAt = async (database: RawDatabase, chain: string): Promise<number | undefined> => {
  let last = { seq: 0, hash: auditGenesis }
  for (;;) {
    const rows = await database.ask(
      sql<Row>`select * from audit where chain = ${chain} and seq > ${last.seq} order by seq limit ${entriesPerBatch}`,
    )
    const entries = rows.map(toEntry)
    const broken = brokenAuditEntry(chain, entries, last)
    if (broken) return broken.seq
    if (entries.length < entriesPerBatch) return undefined
    last = entries.at(-1) ?? last
  }
}

/**
 * Recomputes the chain from its first pseudonymised entry up to the entry `until`, since a hash over a caller's number could be guessed.
 * The last transaction moves the head; in a long chain the entries in between do not verify until then.
 */
const rehashAudit = async (database: RawDatabase, chain: string, until: number | undefined): Promise<void> => {
  const [first] = await database.ask(
    sql<{ seq: number | null }>`select min(seq) as seq from audit
      where chain = ${chain} and (target like ${`%${placeholder}%`} or detail like ${`%${placeholder}%`})`,
  )
  let from: number | undefined = first?.seq ?? undefined
  while (from !== undefined) from = await rehashSome(database, chain, from, until ?? Infinity)
}

/** Returns where to continue. */
const rehashSome = (database: RawDatabase, chain: string, from: number, until: number): Promise<number | undefined> =>
  database.write(async (db) => {
    // Writers of the chain lock its head first: while it is locked no entry is appended.
    await sql`update audit_head set seq = seq where chain = ${chain}`.execute(db)
    const before = await sql<{ hash: string }>`select hash from audit where chain = ${chain} and seq = ${from - 1}`.execute(db)
    const { rows } = await sql<Row>`select * from audit
      where chain = ${chain} and seq >= ${from} order by seq limit ${entriesPerBatch}`.execute(db)
    let previousHash = before.rows[0]?.hash ?? auditGenesis
    for (const row of rows) {
      if (Number(row.seq) >= until) return undefined
      const hash = auditHash(chain, { ...toEntry(row), previousHash })
      await changeRows(db, 'audit', [row], { previous_hash: sql`${previousHash}`, hash: sql`${hash}` })
      previousHash = hash
    }
    if (rows.length === entriesPerBatch) return from + entriesPerBatch
    await sql`update audit_head set hash = ${previousHash} where chain = ${chain}`.execute(db)
    return undefined
  })

const toEntry = (row: Row): AuditEntry => ({
  seq: Number(row.seq),
  at: Number(row.at),
  actor: String(row.actor),
  action: String(row.action),
  target: String(row.target),
  detail: readable(String(row.detail)),
  previousHash: String(row.previous_hash),
  hash: String(row.hash),
})

/** A manual change need not be valid JSON. */
const readable = (detail: string): unknown => {
  try {
    return JSON.parse(detail)
  } catch {
    return { unreadable: detail }
  }
}

/** Row counts by table, so that their files can be scrubbed. */
class Erased {
  readonly tables = new Set<Table>()
  deleted = 0
  changed = 0

  noteDeleted(table: Table, rows: number): void {
    if (rows > 0) this.tables.add(table)
    this.deleted += rows
  }

  noteChanged(table: Table, rows: number): void {
    if (rows > 0) this.tables.add(table)
    this.changed += rows
  }
}
