import { sql, type Selectable, type Updateable } from 'kysely'
import type {
  History,
  HistoryEntry,
  HistoryEntryChange,
  HistoryViewer,
  HistoryCursor,
  HistoryFilter,
  HistoryPage,
} from '#core/kernel/ports/store/call.ts'
import { hotInsert } from '#adapters/store/sqlite/hot-row.ts'
import { askAside, connectionOf } from '#adapters/store/sqlite/sqlite-driver.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { areFew, betterSearch, matching, comesAfter, type Search, foundOf, hasText } from './history-filter.ts'

/** Most entries have fewer; one statement is cached per number of them. */
const concurrentParties = 8

export const history = (db: Db): History => {
  const insertEntry = hotInsert(db, 'history_entry')
  const insertParties = hotInsert(db, 'history_party')

  /** Another node wrote about this call first; the entry that tells more stays, with the recordings of both. */
  const displace = async (accountId: string, entry: HistoryEntry): Promise<boolean> => {
    const row = await matching(db, accountId, {}).selectAll().where('edge_call', '=', entry.edgeCall!).executeTakeFirst()
    const other = row && toEntry(row)
    if (!other || other.sessionId === entry.sessionId || worthOf(other) >= worthOf(entry)) return false
    await table.remove(accountId, other.id)
    const recordings = [...(other.detail.recordings ?? []), ...(entry.detail.recordings ?? [])]
    return table.insert(accountId, { ...entry, detail: { ...entry.detail, ...(recordings.length > 0 && { recordings }) } })
  }

  const table: History = {
    async insert(accountId, entry) {
      const inserted = await insertEntry({
        id: entry.id,
        account_id: accountId,
        user_ext: entry.userId ?? null,
        session_id: entry.sessionId,
        type: entry.type,
        direction: entry.direction,
        source: entry.source,
        target: entry.target,
        source_alias: entry.sourceAlias,
        target_alias: entry.targetAlias,
        status: entry.status,
        connection_ids: JSON.stringify(entry.connectionIds),
        endpoints: JSON.stringify(entry.endpoints),
        detail: JSON.stringify(entry.detail),
        created_at: entry.createdAt,
        modified_at: entry.modifiedAt,
        read: flag(entry.read),
        archived: flag(entry.archived),
        starred: flag(entry.starred),
        note: entry.note,
        labels: JSON.stringify(entry.labels),
        edge_call: entry.edgeCall ?? null,
        correlation_id: entry.correlationId ?? null,
      })
      if (!inserted) return entry.edgeCall !== undefined && (await displace(accountId, entry))
      const parties = partiesOf(entry).map((ext) => ({ account_id: accountId, ext, entry_id: entry.id }))
      for (let at = 0; at < parties.length; at += concurrentParties) await insertParties(...parties.slice(at, at + concurrentParties))
      return true
    },

    async update(accountId, id, change, at) {
      const { numUpdatedRows } = await db
        .updateTable('history_entry')
        .set({ ...columns(change), modified_at: at })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      if ('userId' in change || change.connectionIds !== undefined) await noteParties(db, accountId, await ofId(db, accountId, id))
      return true
    },

    find: (accountId, id, seenBy) => ofId(db, accountId, id, seenBy),

    async list(accountId, filter, page) {
      const way = await betterSearch(db, accountId, filter)
      const numbers = typeof way === 'object' ? way.numbers : undefined
      const rows = numbers ? await listFound(db, accountId, filter, numbers, page) : await listByTime(db, accountId, filter, way, page)
      return rows.map(toEntry)
    },

    async count(accountId, filter, max) {
      const way = await betterSearch(db, accountId, filter)
      if (typeof way === 'object') return countFound(db, accountId, filter, way.numbers, max)
      // A complete count gathers; with a limit the newest entries are checked until there are enough.
      const gathers = way === 'probe' && max === undefined && !filter.ids && !(await areFew(db, accountId, filter))
      const found = matching(db, accountId, filter, gathers ? 'gather' : way)
      const countAll = sql<number>`count(*)`.as('total')
      const counting =
        max === undefined ? found.select(countAll) : db.selectFrom(found.select('id').limit(max).as('found')).select(countAll)
      const few = filter.sessionId !== undefined || filter.correlationId !== undefined || filter.ids !== undefined || way === 'gather'
      const [counted] = few ? await counting.execute() : await askAside(db, accountId, counting)
      return counted?.total ?? 0
    },

    async findsOldText() {
      if (connectionOf(db)) return true
      const { rows } = await sql<{ found: string | null }>`select to_regclass('history_text_words')::text as found`.execute(db)
      return typeof rows[0]?.found === 'string'
    },

    async remove(accountId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('history_entry')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
      await forgetParties(db, accountId, id)
      return numDeletedRows > 0
    },

    async listBySession(accountId, sessionId) {
      const rows = await matching(db, accountId, { sessionId }).selectAll().execute()
      return rows.map(toEntry)
    },

    async findByRecording(accountId, recordingId) {
      const row = await matching(db, accountId, {}).selectAll().where('detail', 'like', `%${recordingId}%`).executeTakeFirst()
      return row && toEntry(row)
    },
  }
  return table
}

/** A long talk tells more than a short one, any talk or message more than a missed call. */
const worthOf = ({ type, status, detail }: HistoryEntry): number =>
  type === 'VOICEMAIL' || status === 'PICKUP' || status === 'FORWARD' ? 1 + (detail.duration ?? 0) : 0

const ofId = async (db: Db, accountId: string, id: string, seenBy?: HistoryViewer): Promise<HistoryEntry | undefined> => {
  const row = await matching(db, accountId, seenBy ? { seenBy } : {}, 'probe')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toEntry(row)
}

const noteParties = async (db: Db, accountId: string, entry: HistoryEntry | undefined): Promise<void> => {
  if (!entry) return
  await forgetParties(db, accountId, entry.id)
  const rows = partiesOf(entry).map((ext) => ({ account_id: accountId, ext, entry_id: entry.id }))
  if (rows.length > 0) await db.insertInto('history_party').values(rows).execute()
}

const partiesOf = ({ userId, connectionIds }: HistoryEntry): string[] => [
  ...new Set(userId === undefined ? connectionIds : [userId, ...connectionIds]),
]

const forgetParties = async (db: Db, accountId: string, id: string): Promise<void> => {
  await db.deleteFrom('history_party').where('account_id', '=', accountId).where('entry_id', '=', id).execute()
}

const columns = (change: HistoryEntryChange): Updateable<Schema['history_entry']> => ({
  ...('userId' in change && { user_ext: change.userId ?? null }),
  ...(change.sourceAlias !== undefined && { source_alias: change.sourceAlias }),
  ...(change.targetAlias !== undefined && { target_alias: change.targetAlias }),
  ...(change.status !== undefined && { status: change.status }),
  ...(change.connectionIds !== undefined && { connection_ids: JSON.stringify(change.connectionIds) }),
  ...(change.endpoints !== undefined && { endpoints: JSON.stringify(change.endpoints) }),
  ...(change.detail !== undefined && { detail: JSON.stringify(change.detail) }),
  ...(change.read !== undefined && { read: flag(change.read) }),
  ...(change.archived !== undefined && { archived: flag(change.archived) }),
  ...(change.starred !== undefined && { starred: flag(change.starred) }),
  ...(change.note !== undefined && { note: change.note }),
  ...(change.labels !== undefined && { labels: JSON.stringify(change.labels) }),
})

const toEntry = (row: Selectable<Schema['history_entry']>): HistoryEntry => ({
  id: row.id,
  userId: row.user_ext ?? undefined,
  sessionId: row.session_id,
  ...(row.correlation_id !== null && { correlationId: row.correlation_id }),
  type: row.type,
  direction: row.direction as HistoryEntry['direction'],
  source: row.source,
  target: row.target,
  sourceAlias: row.source_alias,
  targetAlias: row.target_alias,
  status: row.status as HistoryEntry['status'],
  connectionIds: JSON.parse(row.connection_ids) as string[],
  endpoints: JSON.parse(row.endpoints) as HistoryEntry['endpoints'],
  detail: JSON.parse(row.detail) as HistoryEntry['detail'],
  createdAt: row.created_at,
  modifiedAt: row.modified_at,
  read: row.read === 1,
  archived: row.archived === 1,
  starred: row.starred === 1,
  note: row.note,
  labels: JSON.parse(row.labels) as string[],
})

type Row = Selectable<Schema['history_entry']>

/** One page, in index order. */
const listByTime = (db: Db, accountId: string, filter: HistoryFilter, way: Search, page: HistoryPage): Promise<Row[]> => {
  const { after, offset = 0, limit, oldestFirst = false } = page
  const order = oldestFirst ? 'asc' : 'desc'
  const query = matching(db, accountId, filter, way)
    .where(comesAfter(after, oldestFirst))
    .selectAll()
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
  return way === 'probe' && isNarrow(filter) ? askAside(db, accountId, query) : query.execute()
}

/** May match few entries, so that many are checked until there are enough. */
const isNarrow = ({ ids: _ids, sessionId: _session, seenBy: _viewer, from: _from, to: _to, ...others }: HistoryFilter): boolean =>
  Object.values(others).some((wanted) => wanted !== undefined)

/** Maximum entries per query. */
const maxConcurrent = 4_000

/**
 * One page of a search with few numbers. Indexes give the order of all matches; only as many entries are read and checked as the page
 * needs.
 */
const listFound = async (
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

/** In the known order: with another `order by` SQLite would read all entries of the account in that order. */
const wantedOf = async (db: Db, accountId: string, filter: HistoryFilter, placed: readonly Placed[]): Promise<Row[]> => {
  const ids = placed.map(({ id }) => id)
  const rows = await matching(db, accountId, { ...filter, ids }, 'probe')
    .selectAll()
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Number of matches of a search with few numbers: those of the numbers, and those of the words that are not among them. */
const countFound = async (
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
