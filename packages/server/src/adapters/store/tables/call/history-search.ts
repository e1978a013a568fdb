import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { HistorySearch } from '#core/kernel/ports/store/call/history.ts'
import { peerOf } from '#adapters/store/migrations/0022-names.ts'
import { connectionOf } from '#adapters/store/sqlite/sqlite-driver.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { escaped, hasOneOf } from '../has-one-of.ts'

/** Of as many numbers all entries are looked up; when there are more, the newest entries are asked one by one, and most are found. */
const maxNumbers = 2_000
/** Newest first. */
const maxTexts = 2_000

const peer = sql.raw<string>(peerOf('history_entry.'))

/** The numbers that a search is about, or undefined when they are so many that their entries are better not gathered. */
export const fewNumbers = async (db: Db, accountId: string, search: HistorySearch): Promise<string[] | undefined> => {
  const numbers = sql`select number from (${numbersOf(accountId, search)}) as known limit ${sql.lit(maxNumbers + 1)}`
  const { rows } = await sql<{ number: string }>`${numbers}`.execute(db)
  return rows.length > maxNumbers ? undefined : [...new Set(rows.map(({ number }) => number))]
}

/** Whether an entry is with one of these: read from an index. */
export const belongsToAny = (db: Db, numbers: readonly string[]): RawBuilder<SqlBool> =>
  connectionOf(db)
    ? sql<SqlBool>`${peer} in (select value from json_each(${JSON.stringify(numbers)}))`
    : sql<SqlBool>`${peer} = any(${numbers}::text[])`

/** Whether it is found by its words; none when no words are sought. */
export const hasText = (db: Db, accountId: string, search: HistorySearch): RawBuilder<SqlBool>[] =>
  textsOf(db, accountId, search).map((texts) => sql<SqlBool>`history_entry.id in (select id from (${texts}) as texts)`)

/**
 * Each entry that is found once, with its time: read from indexes alone. The columns are put together anew, because SQLite would otherwise read all entries in
 * the order in which it makes them one.
 */
export const foundOf = (db: Db, accountId: string, search: HistorySearch, numbers: readonly string[]): RawBuilder<unknown> => {
  const given = belongsToAny(db, numbers)
  const theirs = sql`select id || '' as id, created_at + 0 as created_at from history_entry where account_id = ${accountId} and ${given}`
  return sql.join([theirs, ...textsOf(db, accountId, search)], sql` union `)
}

/** For an entry that is looked at anyway: it tells its number itself. */
export const isFound = (db: Db, accountId: string, search: HistorySearch): RawBuilder<SqlBool> => {
  const ways = [
    ...(search.digits.length > 0 ? [hasOneOf(peer, search.digits)] : []),
    ...(search.names.length > 0 ? [sql`${peer} in (${namedNumbers(accountId, search)})`] : []),
    ...hasText(db, accountId, search),
  ]
  return sql<SqlBool>`(${sql.join(ways.length > 0 ? ways : [sql`1 = 0`], sql` or `)})`
}

const numbersOf = (accountId: string, search: HistorySearch): RawBuilder<unknown> =>
  search.digits.length > 0
    ? sql`select number from party_number where account_id = ${accountId} and ${hasOneOf('number', search.digits)}`
    : namedNumbers(accountId, search)

/** Put together anew, because SQLite does not look up the value of a column in an index of an expression. */
const namedNumbers = (accountId: string, { userId, names }: HistorySearch): RawBuilder<unknown> =>
  sql`select contact_number.e164 || '' as number from contact join contact_number on contact_number.contact_id = contact.id
    where contact.account_id = ${accountId} and contact_number.account_id = ${accountId}
      and (contact.owner = ${userId} or contact.shared = 1) and ${hasOneOf('contact.folded', names)}`

/** SQLite has an index of its own for words, in which the account is a word, too: otherwise what others wrote would be read. */
const textsOf = (db: Db, accountId: string, { text, textFrom }: HistorySearch): RawBuilder<unknown>[] => {
  if (text === undefined) return []
  const newest = sql`order by history_text.id desc limit ${sql.lit(maxTexts)}`
  if (connectionOf(db)) {
    const words = `account_id : "${accountId}" AND body : "${text.replaceAll('"', '""')}"`
    const found = sql`select history_text.entry_id, history_text.created_at from history_words join history_text on history_text.id = history_words.rowid
      where history_words match ${words} and history_text.account_id = ${accountId} order by history_words.rowid desc limit ${sql.lit(maxTexts)}`
    return [sql`select entry_id as id, created_at from (${found}) as texts`]
  }
  const since = textFrom === undefined ? sql`` : sql`and history_text.created_at >= ${textFrom}`
  const found = sql`select entry_id, created_at from history_text where account_id = ${accountId} and body ilike ${`%${escaped(text)}%`} ${since} ${newest}`
  return [sql`select entry_id as id, created_at from (${found}) as texts`]
}
