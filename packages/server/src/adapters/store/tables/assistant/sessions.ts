import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Selectable } from 'kysely'
import { UniqueViolation } from '#core/kernel/ports/store/index.ts'
import type { EndedSession, OpenSession, Sessions } from '#core/kernel/ports/store/assistant/sessions.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const sessions = (db: Db): Sessions => {
  const insertRow = hotInsert(db, 'session')
  const end = hotRow(db, (id: string, owner: string, at: number, reason: string, sequence: number, turn: number) =>
    db
      .updateTable('session')
      .set({ ended_at: at, reason, sequence, turn })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('ended_at', 'is', null)
      .returning('id'),
  )
  return {
    async open({ id, accountId, flowId, session, startedAt, owner }) {
      const inserted = await insertRow({
        id,
        account_id: accountId,
        flow_id: flowId,
        session: JSON.stringify(session),
        started_at: startedAt,
        owner,
        ended_at: null,
        reason: null,
        sequence: null,
        turn: null,
      })
      if (!inserted) throw new UniqueViolation(`there is a session ${id} already`)
    },

    async close(id, owner, { reason, at, sequence, turn }) {
      return (await end(id, owner, at, reason, sequence, turn)) !== undefined
    },

    async claim(ids, to) {
      await db.updateTable('session').set({ owner: to }).where('id', 'in', ids).where('ended_at', 'is', null).execute()
    },

    async findOpen(id) {
      const row = await openOnes(db).where('id', '=', id).executeTakeFirst()
      return row && toOpenSession(row)
    },

    async listOpenOf(owner, limit) {
      const rows = await openOnes(db).where('owner', '=', owner).orderBy('started_at').limit(limit).execute()
      return rows.map(toOpenSession)
    },

    async findEnded(accountId, id) {
      const row = await db
        .selectFrom('session')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('ended_at', 'is not', null)
        .executeTakeFirst()
      return row && toEndedSession(row)
    },

    async removeClosedBefore(at) {
      const { numDeletedRows } = await db.deleteFrom('session').where('ended_at', '<', at).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

const openOnes = (db: Db) => db.selectFrom('session').selectAll().where('ended_at', 'is', null)

const toOpenSession = (row: Selectable<Schema['session']>): OpenSession => ({
  id: row.id,
  accountId: row.account_id,
  flowId: row.flow_id,
  session: JSON.parse(row.session) as Session,
  startedAt: row.started_at,
  owner: row.owner,
})

const toEndedSession = (row: Selectable<Schema['session']>): EndedSession => ({
  id: row.id,
  accountId: row.account_id,
  flowId: row.flow_id,
  session: JSON.parse(row.session) as Session,
  reason: row.reason as SessionEndReason,
  sequence: row.sequence ?? 0,
  turn: row.turn ?? 0,
})
