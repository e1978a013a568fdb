import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { HistoryFilter, HistoryCursor } from '#core/kernel/ports/store/call/history.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { concernsFew, isAmongFound, isFound } from './history-search.ts'

/** The index of sessions begins with the type. */
const allTypes = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const

type Builder = ExpressionBuilder<Schema, 'history_entry'>
type Condition = Expression<SqlBool>

/**
 * How the entries are found that concern a user. `gather`: all of theirs first, which is good for a few, or when all are wanted.
 * `probe`: each entry is asked, which is good when many are theirs and only the first are wanted, and for a single one. `numbers`: all that a search finds
 * first, by the numbers it is about, and these are asked.
 */
export type Search = 'gather' | 'probe' | 'numbers'

export const matching = (db: Db, accountId: string, filter: HistoryFilter, search: Search = 'gather') => {
  const tookPart = search === 'gather' ? isAmongTheirs : hasOneOfThem
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
    if (types) all.push(oneOf(eb, 'type', types))
    if (sessionId !== undefined) all.push(eb('session_id', '=', sessionId))
    if (directions) all.push(oneOf(eb, 'direction', directions))
    if (archived !== undefined) all.push(eb('archived', '=', flag(archived)))
    if (starred !== undefined) all.push(eb('starred', '=', flag(starred)))
    if (read !== undefined) all.push(eb('read', '=', flag(read)))
    if (from !== undefined) all.push(eb('created_at', '>=', from))
    if (to !== undefined) all.push(eb('created_at', '<=', to))
    if (phoneNumbers) all.push(eb.or([oneOf(eb, 'source', phoneNumbers), oneOf(eb, 'target', phoneNumbers)]))
    if (connectionIds) all.push(tookPart(eb, accountId, connectionIds))
    if (phoneline !== undefined) all.push(tookPart(eb, accountId, [phoneline]))
    if (seenBy) all.push(tookPart(eb, accountId, [seenBy.userId, ...seenBy.extensions]))
    if (sought) all.push(search === 'numbers' ? isAmongFound(db, accountId, sought) : isFound(db, accountId, sought))
    return eb.and(all)
  })
}

/** An empty list matches nothing, in words both databases accept. */
const oneOf = (eb: Builder, column: 'id' | 'type' | 'direction' | 'source' | 'target', values: readonly string[]): Condition =>
  values.length === 0 ? sql<SqlBool>`1 = 0` : eb(column, 'in', values as never)

/** Both databases find the place in the index by this form. */
export const comesAfter = (eb: Builder, after: HistoryCursor | undefined, oldestFirst: boolean, time: Expression<number>): Condition =>
  after
    ? sql<SqlBool>`(${time}, ${eb.ref('id')}) ${sql.raw(oldestFirst ? '>' : '<')} (${after.createdAt}, ${after.id})`
    : sql<SqlBool>`1 = 1`

const isAmongTheirs = (eb: Builder, accountId: string, parties: readonly string[]): Condition => {
  if (parties.length === 0) return sql<SqlBool>`1 = 0`
  const theirs = eb.selectFrom('history_party').select('entry_id').where('account_id', '=', accountId).where('ext', 'in', parties)
  return eb('id', 'in', theirs)
}

/** `offset 0` keeps PostgreSQL from turning it into the other form. */
const hasOneOfThem = (eb: Builder, accountId: string, parties: readonly string[]): Condition => {
  if (parties.length === 0) return sql<SqlBool>`1 = 0`
  const theirs = eb
    .selectFrom('history_party')
    .select('entry_id')
    .where('account_id', '=', accountId)
    .where('ext', 'in', parties)
    .whereRef('entry_id', '=', 'history_entry.id')
  return eb.exists(theirs.limit(1).offset(0))
}

/** From here on it is faster to ask the entries one by one. */
const few = 1_000

/** Which way is the better one for the first entries of this filter. */
export const betterSearch = async (db: Db, accountId: string, filter: HistoryFilter): Promise<Search> => {
  const { seenBy, connectionIds, phoneline, sessionId } = filter
  if (sessionId !== undefined || filter.ids) return 'probe'
  if (filter.search && (await concernsFew(db, accountId, filter.search))) return 'numbers'
  const wishes = [seenBy && [seenBy.userId, ...seenBy.extensions], connectionIds, phoneline === undefined ? undefined : [phoneline]]
  for (const parties of wishes) {
    if (!parties || parties.length === 0) continue
    const theirs = db
      .selectFrom('history_party')
      .select('entry_id')
      .where('account_id', '=', accountId)
      .where('ext', 'in', parties)
      .limit(few)
    const { found } = await db
      .selectFrom(theirs.as('theirs'))
      .select((eb) => eb.fn.countAll<number>().as('found'))
      .executeTakeFirstOrThrow()
    if (found < few) return 'gather'
  }
  return 'probe'
}
