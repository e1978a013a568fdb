import { sql, type Selectable } from 'kysely'
import type { HistoryCursor, HistoryFilter, HistoryPage } from '#core/kernel/ports/store/call/history.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { comesAfter, matching, type Search } from './history-filter.ts'
import { foundOf, hasText } from './history-search.ts'

type Row = Selectable<Schema['history_entry']>

/** One page, in the order of an index. */
export const listByTime = (db: Db, accountId: string, filter: HistoryFilter, way: Search, page: HistoryPage): Promise<Row[]> => {
  const { after, offset = 0, limit, oldestFirst = false } = page
  const order = oldestFirst ? 'asc' : 'desc'
  return matching(db, accountId, filter, way)
    .where(comesAfter(after, oldestFirst))
    .selectAll()
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute()
}

/** So many are asked in one question at most. */
const maxConcurrent = 4_000

/**
 * One page of what a search for few numbers finds. Indexes tell the order of all that is found; only as many entries are read and asked whether they are wanted
 * as it takes to fill the page.
 */
export const listFound = async (
  db: Db,
  accountId: string,
  filter: HistoryFilter,
  numbers: readonly string[],
  { after, offset = 0, limit, oldestFirst = false }: HistoryPage,
): Promise<Row[]> => {
  const { search, ...others } = filter
  if (!search) return []
  const found: Row[] = []
  let [last, toSkip] = [after, offset]
  for (let take = Math.min(2 * (offset + limit), maxConcurrent); found.length < limit; take = Math.min(4 * take, maxConcurrent)) {
    const asked = sql`select id, created_at from (${foundOf(db, accountId, search, numbers)}) as found where ${comesAfter(last, oldestFirst)}`
    const order = sql.raw(oldestFirst ? 'asc' : 'desc')
    const next = sql<Placed>`${asked} order by created_at ${order}, id ${order} limit ${sql.lit(take)}`
    const { rows } = await next.execute(db)
    const wanted = await wantedOf(db, accountId, others, rows)
    found.push(...wanted.slice(toSkip))
    toSkip = Math.max(0, toSkip - wanted.length)
    last = cursorOf(rows.at(-1))
    if (rows.length < take) break
  }
  return found.slice(0, limit)
}

/** In the order that is known already: who asked for it again would have SQLite read all entries of the account in that order. */
const wantedOf = async (db: Db, accountId: string, filter: HistoryFilter, placed: readonly Placed[]): Promise<Row[]> => {
  const ids = placed.map(({ id }) => id)
  const rows = await matching(db, accountId, { ...filter, ids }, 'probe')
    .selectAll()
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** How many a search for few numbers finds: those of the numbers, and those of the words that are not among them. */
export const countFound = async (
  db: Db,
  accountId: string,
  filter: HistoryFilter,
  numbers: readonly string[],
  max = Number.MAX_SAFE_INTEGER,
): Promise<number> => {
  const { search, ...others } = filter
  if (!search) return 0
  const ofNumbers = matching(db, accountId, filter, { numbers })
  const ofWords = hasText(db, accountId, search).map((hasIt) => matching(db, accountId, others, { numbers }).where(hasIt))
  const ways = [ofNumbers, ...ofWords].map((way) => sql`select id from (${way.select('id').limit(max)}) as way`)
  const { rows } = await sql<{ total: number }>`select count(*) as total from (${sql.join(ways, sql` union `)}) as found`.execute(db)
  return Math.min(rows[0]?.total ?? 0, max)
}

type Placed = Pick<Row, 'id' | 'created_at'>

const cursorOf = (row: Placed | undefined): HistoryCursor | undefined => row && { id: row.id, createdAt: row.created_at }
