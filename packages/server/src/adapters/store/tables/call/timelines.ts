import { sql, type Selectable } from 'kysely'
import type { StoredTimeline, TimelineChange, Timelines } from '#core/kernel/ports/store/call.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { dropPartsBefore } from '../operate/partitions.ts'

type Row = Selectable<Schema['timeline']>
/** A row at creation; its words are erased later. */
type NewRow = Omit<Row, 'words_erased_at'>

export const timelines = (db: Db, dialect: Dialect): Timelines => {
  const all = () => db.selectFrom('timeline').selectAll().select(lastPiece)
  const one = (accountId: string, callId: string) => all().where('account_id', '=', accountId).where('call_id', '=', callId)
  const findRow = hotRow(db, one)
  const lockRow = dialect === 'postgres' ? hotRow(db, (accountId: string, callId: string) => one(accountId, callId).forUpdate()) : findRow
  const write = dialect === 'postgres' ? writeMany(db) : writeEach(db)
  const remove = async (accountId: string, callId: string): Promise<boolean> => {
    const query = db.deleteFrom('timeline').where('account_id', '=', accountId).where('call_id', '=', callId)
    return (await query.executeTakeFirst()).numDeletedRows > 0n
  }
  /** Their pieces are deleted by cascade. */
  const removeAll = async (rows: readonly Pick<Row, 'account_id' | 'call_id'>[]): Promise<number> => {
    for (const { account_id, call_id } of rows) await remove(account_id, call_id)
    return rows.length
  }
  return {
    write,

    async claim(callIds, to) {
      await db.updateTable('timeline').set({ owner: to }).where('call_id', 'in', callIds).where('closed_at', 'is', null).execute()
    },

    async find(accountId, callId) {
      const row = await findRow(accountId, callId)
      return row && toTimeline(row)
    },

    async lock(accountId, callId) {
      const row = await lockRow(accountId, callId)
      return row && toTimeline(row)
    },

    listPieces: (accountId, callId, after, limit) =>
      db
        .selectFrom('timeline_piece')
        .select(['first', 'last', 'entries'])
        .where('account_id', '=', accountId)
        .where('call_id', '=', callId)
        .where('last', '>', after)
        .orderBy('first')
        .limit(limit)
        .execute(),

    async listChanged(accountId, since, exceptOwner) {
      const query = all().where('account_id', '=', accountId).where('changed_at', '>=', since).where('owner', '<>', exceptOwner)
      return (await query.orderBy('changed_at').execute()).map(toTimeline)
    },

    async listOpenOf(owner, limit) {
      const query = all().where('owner', '=', owner).where('closed_at', 'is', null)
      return (await query.orderBy('call_id').limit(limit).execute()).map(toTimeline)
    },

    remove,

    removeOf: async (accountId, limit) => removeAll(await all().where('account_id', '=', accountId).limit(limit).execute()),

    async removeBefore(at, limit) {
      // Drops whole days of pieces together; one row per call remains.
      if (dialect === 'postgres') await dropPartsBefore(db, 'timeline_piece', at)
      return removeAll(await all().where('started_at', '<', at).orderBy('started_at').limit(limit).execute())
    },

    async removeOfBefore(accountId, at, limit) {
      const old = all().where('account_id', '=', accountId).where('started_at', '<', at)
      return removeAll(await old.orderBy('started_at').limit(limit).execute())
    },

    async listWithWords(accountId, before, limit) {
      const query = db.selectFrom('timeline').select('call_id').where('account_id', '=', accountId).where('started_at', '<', before)
      const rows = await query.where('words_erased_at', 'is', null).orderBy('started_at').limit(limit).execute()
      return rows.map((row) => row.call_id)
    },

    async rewritePiece(accountId, callId, { first, entries }) {
      const piece = db.updateTable('timeline_piece').where('account_id', '=', accountId).where('call_id', '=', callId)
      await piece.where('first', '=', first).set({ entries }).execute()
    },

    async noteWordsErased(accountId, callId, at) {
      const timeline = db.updateTable('timeline').where('account_id', '=', accountId).where('call_id', '=', callId)
      await timeline.set({ words_erased_at: at }).execute()
    },
  }
}

/** The row itself does not repeat it with every piece. */
const lastPiece = sql<number | null>`(select piece.last from timeline_piece as piece
  where piece.account_id = timeline.account_id and piece.call_id = timeline.call_id order by piece.first desc limit 1)`.as('last_piece')

/** For cheap statements: one per change. */
const writeEach = (db: Db): Timelines['write'] => {
  const insertRow = hotInsert(db, 'timeline')
  const insertPiece = hotInsert(db, 'timeline_piece')
  const change = changeRow(db)
  const isThere = hotRow(db, (accountId: string, callId: string, owner: string) =>
    db.selectFrom('timeline').select('owner').where('account_id', '=', accountId).where('call_id', '=', callId).where('owner', '=', owner),
  )
  const writeRow = async ({ row, isNew, rowChanged }: TimelineChange): Promise<boolean> => {
    const { flow_id, user_ids, changed_at, last_sequence, ended_at, closed_at, end_reason, trunk_id, account_id, call_id, owner } =
      toRow(row)
    if (!isNew && !rowChanged) return (await isThere(account_id, call_id, owner)) !== undefined
    // It may already exist: from an earlier attempt whose answer was lost.
    if (isNew && (await insertRow(toRow(row)))) return true
    const said = [flow_id, user_ids, changed_at, last_sequence, ended_at, closed_at, end_reason, trunk_id] as const
    return (await change(...said, account_id, call_id, owner)) !== undefined
  }
  return async (changes) => {
    const found: boolean[] = []
    for (const one of changes) {
      const isFound = await writeRow(one)
      const { accountId, callId, startedAt } = one.row
      if (isFound)
        for (const piece of one.pieces) await insertPiece({ account_id: accountId, call_id: callId, started_at: startedAt, ...piece })
      found.push(isFound)
    }
    return found
  }
}

const changeRow = (db: Db) =>
  hotRow(
    db,
    (
      flow: string | null,
      users: string,
      at: number,
      last: number,
      ended: number | null,
      closed: number | null,
      reason: string | null,
      trunk: string | null,
      accountId: string,
      callId: string,
      owner: string,
    ) =>
      db
        .updateTable('timeline')
        .set({
          flow_id: flow,
          user_ids: users,
          changed_at: at,
          last_sequence: last,
          ended_at: ended,
          closed_at: closed,
          end_reason: reason,
          trunk_id: trunk,
        })
        .where('account_id', '=', accountId)
        .where('call_id', '=', callId)
        .where('owner', '=', owner)
        .returning('call_id'),
  )

/** For statements with a round trip: one for all new rows, one for all changed ones, one for all pieces. */
const writeMany =
  (db: Db): Timelines['write'] =>
  async (changes) => {
    const inserted = await insertRows(
      db,
      changes.filter(({ isNew }) => isNew),
    )
    const changed = changes.filter(({ isNew, rowChanged, row }) => (isNew ? !inserted.has(keyOf(row)) : rowChanged))
    const updated = await updateRows(db, changed)
    const unclear = new Set(changed.filter(({ row }) => !updated.has(keyOf(row))))
    const found = await insertPieces(
      db,
      changes.filter((one) => !unclear.has(one) && one.pieces.length > 0),
    )
    return changes.map(({ row }) => [inserted, updated, found].some((keys) => keys.has(keyOf(row))))
  }

const keyOf = ({ accountId, callId }: StoredTimeline): string => `${accountId}/${callId}`

type Key = Pick<Row, 'account_id' | 'call_id'>

const keysOf = (rows: readonly Key[]): Set<string> => new Set(rows.map(({ account_id, call_id }) => `${account_id}/${call_id}`))

const insertRows = async (db: Db, changes: readonly TimelineChange[]): Promise<Set<string>> => {
  if (changes.length === 0) return new Set()
  const rows = await db
    .insertInto('timeline')
    .values(changes.map(({ row }) => toRow(row)))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['account_id', 'call_id'])
    .execute()
  return keysOf(rows)
}

const updateRows = async (db: Db, changes: readonly TimelineChange[]): Promise<Set<string>> => {
  if (changes.length === 0) return new Set()
  const rows = changes.map(({ row }) => toRow(row))
  const column = <K extends keyof NewRow>(name: K): NewRow[K][] => rows.map((row) => row[name])
  const { rows: found } = await sql<Key>`
    update timeline set flow_id = given.flow_id, user_ids = given.user_ids, changed_at = given.changed_at, last_sequence = given.last_sequence,
      ended_at = given.ended_at, closed_at = given.closed_at, end_reason = given.end_reason, trunk_id = given.trunk_id
    from unnest(${column('account_id')}::text[], ${column('call_id')}::text[], ${column('owner')}::text[], ${column('flow_id')}::text[],
      ${column('user_ids')}::text[], ${column('changed_at')}::bigint[], ${column('last_sequence')}::integer[], ${column('ended_at')}::bigint[],
      ${column('closed_at')}::bigint[], ${column('end_reason')}::text[], ${column('trunk_id')}::text[])
      as given (account_id, call_id, owner, flow_id, user_ids, changed_at, last_sequence, ended_at, closed_at, end_reason, trunk_id)
    where timeline.account_id = given.account_id and timeline.call_id = given.call_id and timeline.owner = given.owner
    returning timeline.account_id, timeline.call_id`.execute(db)
  return keysOf(found)
}

/** Returns the existing timelines. A piece may already exist: from an earlier attempt whose answer was lost. */
const insertPieces = async (db: Db, changes: readonly TimelineChange[]): Promise<Set<string>> => {
  if (changes.length === 0) return new Set()
  const pieces = changes.flatMap(({ row, pieces: its }) => its.map((piece) => ({ ...row, ...piece })))
  const column = <K extends keyof (typeof pieces)[number]>(name: K): (typeof pieces)[number][K][] => pieces.map((piece) => piece[name])
  const { rows } = await sql<Key>`
    with given as (select * from unnest(${column('accountId')}::text[], ${column('callId')}::text[], ${column('owner')}::text[],
        ${column('first')}::integer[], ${column('last')}::integer[], ${column('entries')}::text[])
        as piece (account_id, call_id, owner, first, last, entries)),
      there as (select given.*, timeline.started_at from given join timeline using (account_id, call_id, owner)),
      added as (insert into timeline_piece (account_id, call_id, first, last, entries, started_at)
        select account_id, call_id, first, last, entries, started_at from there on conflict do nothing)
    select distinct account_id, call_id from there`.execute(db)
  return keysOf(rows)
}

const toRow = (timeline: StoredTimeline): NewRow => ({
  account_id: timeline.accountId,
  call_id: timeline.callId,
  flow_id: timeline.flowId ?? null,
  user_ids: JSON.stringify(timeline.userIds),
  owner: timeline.owner,
  started_at: timeline.startedAt,
  changed_at: timeline.changedAt,
  last_sequence: timeline.lastSequence,
  ended_at: timeline.endedAt ?? null,
  source: timeline.source ?? null,
  target: timeline.target ?? null,
  end_reason: timeline.endReason ?? null,
  trunk_id: timeline.trunkId ?? null,
  closed_at: timeline.closedAt ?? null,
})

const toTimeline = (row: Row & { last_piece: number | null }): StoredTimeline => ({
  accountId: row.account_id,
  callId: row.call_id,
  flowId: row.flow_id ?? undefined,
  userIds: JSON.parse(row.user_ids) as string[],
  owner: row.owner,
  startedAt: row.started_at,
  changedAt: row.changed_at,
  lastSequence: Math.max(row.last_sequence, row.last_piece ?? 0),
  endedAt: row.ended_at ?? undefined,
  source: row.source ?? undefined,
  target: row.target ?? undefined,
  endReason: row.end_reason ?? undefined,
  trunkId: row.trunk_id ?? undefined,
  closedAt: row.closed_at ?? undefined,
})
