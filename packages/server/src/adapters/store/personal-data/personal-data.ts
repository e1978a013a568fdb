import { sql } from 'kysely'
import type { Blobs } from '#core/kernel/ports/files.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { DataSubject, ErasureReport, PersonalData, PersonalRows } from '#core/kernel/ports/account.ts'
import type { RawDatabase } from '../raw-database.ts'
import { catalogue, tables, type Kind, type Table } from './catalogue/index.ts'
import { eraseRows } from './erase.ts'
import { conditionsOf, findEvents, mentioningRows, rowsWhere, textsOf, type Condition, type Row } from './table-rows.ts'
import type { Erasure, ErasureJournal } from './journal.ts'
import { bound, scopeOf, type Scope } from './scope.ts'

interface PersonalDataDeps {
  database: RawDatabase
  files: Pick<Blobs, 'list' | 'remove'>
  clock: Pick<Clock, 'now'>
  journal: Pick<ErasureJournal, 'begin' | 'end' | 'reconcile'>
  /** Empties caches and removes data outside of the database, in all processes. */
  forget: (subject: DataSubject) => Promise<void>
  /** The database is too large to be rewritten: bytes of deleted rows may remain in unused parts of its files. */
  onRemains: () => void
}

interface ErasingPersonalData extends PersonalData {
  /** Repeats erasures that a restored backup undid; returns the number of persons and accounts. */
  resume(): Promise<number>
}

/** Personal data as described by the catalogue of tables. */
export const personalData = (deps: PersonalDataDeps): ErasingPersonalData => {
  const { database, files, clock, journal } = deps
  const scopeFor = (subject: DataSubject): Promise<Scope> => scopeOf(database, subject, clock.now())
  return {
    async exists(subject) {
      const scope = await scopeFor(subject)
      return scope.exists && (subject.type !== 'number' || isStored(database, scope))
    },

    async *rows(subject) {
      yield* exportedRows(database, await scopeFor(subject))
    },

    async *files(subject) {
      yield* filesOf(database, files, await scopeFor(subject))
    },

    async erase(subject) {
      const scope = await scopeFor(subject)
      return eraseNoted(deps, await journal.begin(subject, scope.person), scope)
    },

    async resume() {
      const missing = await journal.reconcile()
      for (const erasure of missing) await eraseNoted(deps, erasure, await scopeOf(database, erasure.subject, clock.now(), erasure.person))
      return missing.length
    },
  }
}

const eraseNoted = async (
  { database, files, journal, forget, onRemains }: PersonalDataDeps,
  erasure: Erasure,
  scope: Scope,
): Promise<ErasureReport> => {
  let deletedFiles = 0
  for await (const key of filesOf(database, files, scope)) {
    await files.remove(key)
    deletedFiles++
  }
  const erased = await eraseRows(database, scope, erasure.again)
  await forget(erasure.subject)
  if (!(await database.scrub(scrubbedTables([...erased.tables])))) onRemains()
  await journal.end(erasure)
  return { deletedRows: erased.deleted, pseudonymizedRows: erased.changed, deletedFiles }
}

/** Rows such as those of running calls and sent mails were deleted in normal operation, and left their bytes. */
const scrubbedTables = (touched: readonly Table[]): Table[] =>
  tables.filter((table) => touched.includes(table) || textsOf(table).length > 0)

const isStored = async (database: RawDatabase, scope: Scope): Promise<boolean> => {
  for (const table of tables) {
    for (const condition of conditionsOf(table, scope))
      for await (const rows of rowsWhere(database, table, condition, [])) if (rows.length > 0) return true
    if (catalogue[table].mention === 'leave') continue
    for await (const rows of mentioningRows(database, table, scope)) if (rows.length > 0) return true
  }
  return false
}

/** Secrets are of no use to the person, and a risk in an archive. */
const isExported = (kind: Kind | undefined): boolean => kind !== 'secret'

async function* exportedRows(database: RawDatabase, scope: Scope): AsyncGenerator<PersonalRows, void, undefined> {
  const events = scope.subject.type === 'account' ? [] : [...(await findEvents(database, scope))]
  for (const table of tables) {
    const seen = new Set<string>()
    for (const condition of exportConditions(table, scope, events))
      for await (const rows of rowsWhere(database, table, condition)) {
        const fresh = rows.filter((row) => !seen.has(keyText(table, row)))
        for (const row of fresh) seen.add(keyText(table, row))
        if (fresh.length > 0) yield { table, rows: fresh.map((row) => withoutSecrets(table, row)) }
      }
  }
}

const keyText = (table: Table, row: Row): string => JSON.stringify(catalogue[table].key.map((column) => row[column]))

const withoutSecrets = (table: Table, row: Row): Row => {
  const columns: Readonly<Record<string, Kind>> = catalogue[table].columns
  return Object.fromEntries(Object.entries(row).filter(([column]) => isExported(columns[column])))
}

const eventsAtOnce = 100

const exportConditions = (table: Table, scope: Scope, events: readonly string[]): Condition[] => {
  const { account, event } = catalogue[table]
  const { subject, params } = scope
  if (subject.type === 'account') return [bound(account.where, params)]
  const conditions = conditionsOf(table, scope)
  if (subject.type === 'contact' && table === 'contact')
    conditions.push(sql`account_id = ${subject.accountId} and id = ${subject.contactId}`)
  if (event === undefined) return conditions
  for (let from = 0; from < events.length; from += eventsAtOnce)
    conditions.push(sql`${bound(account.where, params)} and ${sql.ref(event)} in (${sql.join(events.slice(from, from + eventsAtOnce))})`)
  return conditions
}

/** Recordings, voicemails and faxes. */
async function* filesOf(database: RawDatabase, files: Pick<Blobs, 'list'>, scope: Scope): AsyncGenerator<string, void, undefined> {
  const { accountId, subject } = scope
  if (subject.type === 'account') {
    for (const kind of ['recordings', 'faxes']) for await (const { key } of files.list(`${kind}/${accountId}/`)) yield key
    return
  }
  const events = [...(await findEvents(database, scope))]
  for (let from = 0; from < events.length; from += eventsAtOnce) {
    const some = sql.join(events.slice(from, from + eventsAtOnce))
    const recordings = sql`account_id = ${accountId} and call_id in (${some})`
    for await (const rows of rowsWhere(database, 'recording', recordings, []))
      for (const { id } of rows) yield `recordings/${accountId}/${String(id)}.wav`
    for await (const rows of rowsWhere(database, 'fax', sql`account_id = ${accountId} and id in (${some})`, []))
      for (const { id } of rows) for await (const { key } of files.list(`faxes/${accountId}/${String(id)}/`)) yield key
  }
}
