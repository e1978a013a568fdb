import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { HistoryFilter, HistoryCursor } from '#core/kernel/ports/store/call/history.ts'
import { isMessage, isRare, isUnread } from '#adapters/store/migrations/0022-names.ts'
import { askAside } from '#adapters/store/sqlite/sqlite-driver.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { fewNumbers, isFound, belongsToAny } from './history-search.ts'

/** The index of sessions begins with the type. */
const allTypes = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const

type Builder = ExpressionBuilder<Schema, 'history_entry'>
type Condition = Expression<SqlBool>

/**
 * How the entries are found that concern a user. `gather`: all of theirs first, which is good for a few, or when all are wanted.
 * `probe`: each entry is asked, which is good when many are theirs and only the first are wanted, and for a single one. `numbers`: all that a search finds
 * first, by the few numbers it is about, and these are asked.
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
    seenBy,
    ids,
    search: sought,
  } = filter
  return db.selectFrom('history_entry').where((eb) => {
    const all: Condition[] = [eb('account_id', '=', accountId)]
    if (ids) all.push(oneOf(eb, 'id', ids))
    // Beside ids no other index: SQLite would take one of them rather than the ids, and read all entries of a type or time.
    const isById = ids !== undefined || typeof search === 'object' || waits(filter) || areMessages(filter)
    const rare = isById ? undefined : rareIn(filter)
    const type = isById || rare !== undefined ? sql<string>`type || ''` : eb.ref('type')
    const time = isById ? sql<number>`created_at + 0` : eb.ref('created_at')
    if (types) all.push(types.length === 0 ? none : sql<SqlBool>`${type} in (${sql.join(types)})`)
    if (sessionId !== undefined) all.push(eb('session_id', '=', sessionId))
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
    if (seenBy) all.push(tookPart(eb, accountId, [seenBy.userId, ...seenBy.extensions]))
    if (sought) all.push(typeof search === 'object' ? belongsToAny(db, search.numbers) : isFound(db, accountId, sought))
    return eb.and(all)
  })
}

/** Whether only such entries are wanted as the index of messages has. */
const areMessages = ({ types, sessionId }: HistoryFilter): boolean =>
  sessionId === undefined && types !== undefined && !types.includes('CALL')

/** The same for the index of unread ones. */
const waits = (filter: HistoryFilter): boolean =>
  filter.read === false && (areMessages(filter) || (filter.directions?.length === 1 && filter.directions[0] === 'MISSED_INCOMING'))

/** Which index has all that is wanted, and little else. */
const rareIn = ({ directions, starred, archived, sessionId }: HistoryFilter): keyof typeof isRare | undefined => {
  if (sessionId !== undefined) return undefined
  if (starred) return 'starred'
  if (directions?.length === 1 && directions[0] === 'MISSED_INCOMING') return 'missed'
  return archived ? 'archived' : undefined
}

/** An empty list matches nothing, in words both databases accept. */
const none = sql<SqlBool>`1 = 0`

const oneOf = (eb: Builder, column: 'id' | 'direction' | 'source' | 'target', values: readonly string[]): Condition =>
  values.length === 0 ? none : eb(column, 'in', values as never)

/** Both databases find the place in the index by this form. */
export const comesAfter = (after: HistoryCursor | undefined, oldestFirst: boolean): RawBuilder<SqlBool> =>
  after ? sql`(created_at, id) ${sql.raw(oldestFirst ? '>' : '<')} (${after.createdAt}, ${after.id})` : sql`1 = 1`

const isListed = (eb: Builder, accountId: string, parties: readonly string[]): Condition => {
  if (parties.length === 0) return none
  const theirs = eb.selectFrom('history_party').select('entry_id').where('account_id', '=', accountId).where('ext', 'in', parties)
  return eb('id', 'in', theirs)
}

/** Of most entries the user is enough. `offset 0` keeps PostgreSQL from turning the rest into the other form. */
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

/** So many are counted one by one before all are gathered. */
const maxRare = 10_000

/** Whether an index has all that is wanted, and so little that gathering what concerns the user would take longer. */
export const areFew = async (db: Db, accountId: string, filter: HistoryFilter): Promise<boolean> => {
  const rare = rareIn(filter)
  if (rare === undefined) return areMessages(filter)
  const all = db
    .selectFrom('history_entry')
    .select('id')
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`${sql.raw(isRare[rare])}`)
  const [counted] = await askAside(db, numberOf(db, all.limit(maxRare)))
  return (counted?.found ?? 0) < maxRare
}

const numberOf = (db: Db, entries: SelectQueryBuilder<Schema, never, object>) =>
  db.selectFrom(entries.as('entries')).select((eb) => eb.fn.countAll<number>().as('found'))

/** From here on it is faster to ask the entries one by one. */
const few = 1_000

/** Which way is the better one for the first entries of this filter. */
export const betterSearch = async (db: Db, accountId: string, filter: HistoryFilter): Promise<Search> => {
  const { seenBy, connectionIds, phoneline, sessionId } = filter
  if (sessionId !== undefined || filter.ids) return 'probe'
  if (waits(filter) && !filter.search) return 'probe'
  const numbers = filter.search && (await fewNumbers(db, accountId, filter.search))
  if (numbers) return { numbers }
  const inputs = [seenBy && [seenBy.userId, ...seenBy.extensions], connectionIds, phoneline === undefined ? undefined : [phoneline]]
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
