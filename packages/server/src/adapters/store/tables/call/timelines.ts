import type { Selectable } from 'kysely'
import type { StoredTimeline, Timelines } from '#core/kernel/ports/store/call/timelines.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

type Row = Selectable<Schema['timeline']>

export const timelines = (db: Db, dialect: Dialect): Timelines => {
  const insertRow = hotInsert(db, 'timeline')
  const insertPiece = hotInsert(db, 'timeline_piece')
  const all = () => db.selectFrom('timeline').selectAll()
  const one = (accountId: string, callId: string) => all().where('account_id', '=', accountId).where('call_id', '=', callId)
  const findRow = hotRow(db, one)
  const lockRow = dialect === 'postgres' ? hotRow(db, (accountId: string, callId: string) => one(accountId, callId).forUpdate()) : findRow
  const change = changeRow(db)
  const remove = async (accountId: string, callId: string): Promise<boolean> => {
    const query = db.deleteFrom('timeline').where('account_id', '=', accountId).where('call_id', '=', callId)
    return (await query.executeTakeFirst()).numDeletedRows > 0n
  }
  /** With their pieces, which follow. */
  const removeAll = async (rows: readonly Row[]): Promise<number> => {
    for (const { account_id, call_id } of rows) await remove(account_id, call_id)
    return rows.length
  }
  return {
    insert: (timeline) => insertRow(toRow(timeline)),

    async update(timeline) {
      const { flow_id, user_ids, changed_at, last_sequence, ended_at, closed_at, account_id, call_id, owner } = toRow(timeline)
      return (await change(flow_id, user_ids, changed_at, last_sequence, ended_at, closed_at, account_id, call_id, owner)) !== undefined
    },

    async claim(callIds, to) {
      await db.updateTable('timeline').set({ owner: to }).where('call_id', 'in', callIds).where('closed_at', 'is', null).execute()
    },

    async add(accountId, callId, { first, last, entries }) {
      await insertPiece({ account_id: accountId, call_id: callId, first, last, entries })
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

    removeBefore: async (at, limit) => removeAll(await all().where('started_at', '<', at).orderBy('started_at').limit(limit).execute()),
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
      accountId: string,
      callId: string,
      owner: string,
    ) =>
      db
        .updateTable('timeline')
        .set({ flow_id: flow, user_ids: users, changed_at: at, last_sequence: last, ended_at: ended, closed_at: closed })
        .where('account_id', '=', accountId)
        .where('call_id', '=', callId)
        .where('owner', '=', owner)
        .returning('call_id'),
  )

const toRow = (timeline: StoredTimeline): Row => ({
  account_id: timeline.accountId,
  call_id: timeline.callId,
  flow_id: timeline.flowId ?? null,
  user_ids: JSON.stringify(timeline.userIds),
  owner: timeline.owner,
  started_at: timeline.startedAt,
  changed_at: timeline.changedAt,
  last_sequence: timeline.lastSequence,
  ended_at: timeline.endedAt ?? null,
  closed_at: timeline.closedAt ?? null,
})

const toTimeline = (row: Row): StoredTimeline => ({
  accountId: row.account_id,
  callId: row.call_id,
  flowId: row.flow_id ?? undefined,
  userIds: JSON.parse(row.user_ids) as string[],
  owner: row.owner,
  startedAt: row.started_at,
  changedAt: row.changed_at,
  lastSequence: row.last_sequence,
  endedAt: row.ended_at ?? undefined,
  closedAt: row.closed_at ?? undefined,
})
