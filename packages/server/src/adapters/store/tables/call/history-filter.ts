import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { HistoryFilter, HistoryCursor, HistorySearch, HistoryViewer } from '#core/kernel/ports/store/call.ts'
import { isMessage, isRare, isUnread, peerOf } from '#adapters/store/migrations/0022-names.ts'
import { askAside, connectionOf } from '#adapters/store/sqlite/sqlite-driver.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { escaped, hasOneOf } from '../has-one-of.ts'

/** The index of sessions begins with the type. */
const allTypes = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const

type Builder = ExpressionBuilder<Schema, 'history_entry'>
type Condition = Expression<SqlBool>

/**
 * How to find a user's entries. `gather`: all of them first, for a few, or when all are wanted. `probe`: checks each entry, when many are
 * the user's and only the first are wanted, and for a single one. `numbers`: first finds all entries of a search by its few numbers, and
 * checks these.
 */
export type Search = 'gather' | 'probe' | { numbers: readonly string[] }

export const matching = (db: Db, accountId: string, filter: HistoryFilter, search: Search = 'gather') => {
  const tookPart = search === 'gather' ? isListed : hasAny
  const {
    types = filter.sessionId === undefined ? undefined : allTypes,
    directions,
    archived,
    starred,
    read,
    from,
    to,
    phoneNumbers,
    connectionIds,
    phoneline,
    sessionId,
    correlationId,
    seenBy,
    ids,
    search: sought,
  } = filter
  return db.selectFrom('history_entry').where((eb) => {
    const all: Condition[] = [eb('account_id', '=', accountId)]
    if (ids) all.push(oneOf(eb, 'id', ids))
    // No other index in addition to ids: SQLite would prefer it to the ids, and read all entries of a type or time.
    const isById = ids !== undefined || correlationId !== undefined || typeof search === 'object' || waits(filter) || areMessages(filter)
    const rare = isById ? undefined : rareIn(filter)
    const type = isById || rare !== undefined ? sql<string>`type || ''` : eb.ref('type')
    const time = isById ? sql<number>`created_at + 0` : eb.ref('created_at')
    if (types) all.push(types.length === 0 ? none : sql<SqlBool>`${type} in (${sql.join(types)})`)
    if (sessionId !== undefined) all.push(eb('session_id', '=', sessionId))
    if (correlationId !== undefined) all.push(eb('correlation_id', '=', correlationId))
    if (directions) all.push(oneOf(eb, 'direction', directions))
    if (archived !== undefined) all.push(eb('archived', '=', flag(archived)))
    if (starred !== undefined) all.push(eb('starred', '=', flag(starred)))
    if (read !== undefined) all.push(eb('read', '=', flag(read)))
    if (waits(filter)) all.push(sql<SqlBool>`${sql.raw(isUnread)}`)
    else if (areMessages(filter)) all.push(sql<SqlBool>`${sql.raw(isMessage)}`)
    if (rare !== undefined) all.push(sql<SqlBool>`${sql.raw(isRare[rare])}`)
    if (from !== undefined) all.push(eb(time, '>=', from))
    if (to !== undefined) all.push(eb(time, '<=', to))
    if (phoneNumbers) all.push(eb.or([oneOf(eb, 'source', phoneNumbers), oneOf(eb, 'target', phoneNumbers)]))
    if (connectionIds) all.push(tookPart(eb, accountId, connectionIds))
    if (phoneline !== undefined) all.push(tookPart(eb, accountId, [phoneline]))
    if (seenBy) all.push(tookPart(eb, accountId, partiesOf(seenBy)))
    if (sought) all.push(typeof search === 'object' ? belongsToAny(db, search.numbers) : isFound(db, accountId, sought))
    return eb.and(all)
  })
}

const partiesOf = ({ userId, extensions, onlyExtensions }: HistoryViewer): readonly string[] =>
  onlyExtensions ? extensions : [userId, ...extensions]

/** Whether the index of messages covers the filter. */
const areMessages = ({ types, sessionId }: HistoryFilter): boolean =>
  sessionId === undefined && types !== undefined && !types.includes('CALL')

/** The same for the index of unread entries. */
const waits = (filter: HistoryFilter): boolean =>
  filter.read === false && (areMessages(filter) || (filter.directions?.length === 1 && filter.directions[0] === 'MISSED_INCOMING'))

/** The index that covers the filter with few other entries. */
const rareIn = ({ directions, starred, archived, sessionId }: HistoryFilter): keyof typeof isRare | undefined => {
  if (sessionId !== undefined) return undefined
  if (starred) return 'starred'
  if (directions?.length === 1 && directions[0] === 'MISSED_INCOMING') return 'missed'
  return archived ? 'archived' : undefined
}

/** An empty list matches no entry, in SQL for both databases. */
const none = sql<SqlBool>`1 = 0`

const oneOf = (eb: Builder, column: 'id' | 'direction' | 'source' | 'target', values: readonly string[]): Condition =>
  values.length === 0 ? none : eb(column, 'in', values as never)

/** Both databases seek in the index with this form. */
export const comesAfter = (after: HistoryCursor | undefined, oldestFirst: boolean): RawBuilder<SqlBool> =>
  after ? sql`(created_at, id) ${sql.raw(oldestFirst ? '>' : '<')} (${after.createdAt}, ${after.id})` : sql`1 = 1`

const isListed = (eb: Builder, accountId: string, parties: readonly string[]): Condition => {
  if (parties.length === 0) return none
  const theirs = eb.selectFrom('history_party').select('entry_id').where('account_id', '=', accountId).where('ext', 'in', parties)
  return eb('id', 'in', theirs)
}

/** For most entries the user is sufficient. `offset 0` keeps PostgreSQL from rewriting the rest into the other form. */
const hasAny = (eb: Builder, accountId: string, parties: readonly string[]): Condition => {
  if (parties.length === 0) return none
  const theirs = eb
    .selectFrom('history_party')
    .select('entry_id')
    .where('account_id', '=', accountId)
    .where('ext', 'in', parties)
    .whereRef('entry_id', '=', 'history_entry.id')
  return eb.or([eb('user_ext', 'in', parties), eb.exists(theirs.limit(1).offset(0))])
}

/** Entries counted one by one before all are gathered. */
const maxRare = 10_000

/** Whether an index covers the filter with so few entries that gathering the user's would take longer. */
export const areFew = async (db: Db, accountId: string, filter: HistoryFilter): Promise<boolean> => {
  const rare = rareIn(filter)
  if (rare === undefined) return areMessages(filter)
  const all = db
    .selectFrom('history_entry')
    .select('id')
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`${sql.raw(isRare[rare])}`)
  const [counted] = await askAside(db, accountId, numberOf(db, all.limit(maxRare)))
  return (counted?.found ?? 0) < maxRare
}

const numberOf = (db: Db, entries: SelectQueryBuilder<Schema, never, object>) =>
  db.selectFrom(entries.as('entries')).select((eb) => eb.fn.countAll<number>().as('found'))

/** From this number on checking the entries one by one is faster. */
const few = 1_000

/** The better strategy for the first entries of this filter. */
export const betterSearch = async (db: Db, accountId: string, filter: HistoryFilter): Promise<Search> => {
  const { seenBy, connectionIds, phoneline, sessionId, correlationId } = filter
  if (sessionId !== undefined || correlationId !== undefined || filter.ids) return 'probe'
  if (waits(filter) && !filter.search) return 'probe'
  const numbers = filter.search && (await fewNumbers(db, accountId, filter.search))
  if (numbers) return { numbers }
  const inputs = [seenBy && partiesOf(seenBy), connectionIds, phoneline === undefined ? undefined : [phoneline]]
  for (const parties of inputs) {
    if (!parties || parties.length === 0) continue
    const theirs = db
      .selectFrom('history_party')
      .select('entry_id')
      .where('account_id', '=', accountId)
      .where('ext', 'in', parties)
      .limit(few)
    const { found } = await numberOf(db, theirs).executeTakeFirstOrThrow()
    if (found < few) return 'gather'
  }
  return 'probe'
}

/** Up to this many numbers all entries are looked up; with more, the newest entries are checked one by one, and most match. */
const maxNumbers = 2_000
/** Newest first. */
const maxTexts = 2_000

const peer = sql.raw<string>(peerOf('history_entry.'))

/** The numbers of a search, or undefined if there are too many to gather their entries. */
const fewNumbers = async (db: Db, accountId: string, search: HistorySearch): Promise<string[] | undefined> => {
  const numbers = sql`select number from (${numbersOf(accountId, search)}) as known limit ${sql.lit(maxNumbers + 1)}`
  const { rows } = await sql<{ number: string }>`${numbers}`.execute(db)
  return rows.length > maxNumbers ? undefined : [...new Set(rows.map(({ number }) => number))]
}

/** Whether an entry has one of these numbers: read from an index. */
const belongsToAny = (db: Db, numbers: readonly string[]): RawBuilder<SqlBool> =>
  connectionOf(db)
    ? sql<SqlBool>`${peer} in (select value from json_each(${JSON.stringify(numbers)}))`
    : sql<SqlBool>`${peer} = any(${numbers}::text[])`

/** Whether it matches by its words; empty without words. */
export const hasText = (db: Db, accountId: string, search: HistorySearch): RawBuilder<SqlBool>[] =>
  textsOf(db, accountId, search).map((texts) => sql<SqlBool>`history_entry.id in (select id from (${texts}) as texts)`)

/**
 * Each match once, with its time: read from indexes alone. The columns are recomputed, because SQLite would otherwise read all entries in
 * the order of deduplication.
 */
export const foundOf = (db: Db, accountId: string, search: HistorySearch, numbers: readonly string[]): RawBuilder<unknown> => {
  const given = belongsToAny(db, numbers)
  const theirs = sql`select id || '' as id, created_at + 0 as created_at from history_entry where account_id = ${accountId} and ${given}`
  return sql.join([theirs, ...textsOf(db, accountId, search)], sql` union `)
}

/** For an entry that is read anyway: compares its own number. */
const isFound = (db: Db, accountId: string, search: HistorySearch): RawBuilder<SqlBool> => {
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

/** Recomputed, because SQLite does not look up a column's value in an expression index. */
const namedNumbers = (accountId: string, { userId, names }: HistorySearch): RawBuilder<unknown> =>
  sql`select contact_number.e164 || '' as number from contact join contact_number on contact_number.contact_id = contact.id
    where contact.account_id = ${accountId} and contact_number.account_id = ${accountId}
      and (contact.owner = ${userId} or contact.shared = 1) and ${hasOneOf('contact.folded', names)}`

/** SQLite has a separate full-text index, in which the account is a word, too: otherwise the texts of others would be read. */
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
