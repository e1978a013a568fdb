import { sessionIdsOf, type Session, type SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { sql, type Selectable } from 'kysely'
import { UniqueViolation } from '#core/kernel/ports/store/index.ts'
import type { EndedSession, OpenSession, Sessions } from '#core/kernel/ports/store/session.ts'
import { readChoice } from '#core/kernel/ports/store/session.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

export const sessions = (db: Db, dialect: Dialect): Sessions => {
  const insertRow = hotInsert(db, 'session')
  const end = hotRow(db, (id: string, owner: string, at: number, reason: string, sequence: number, turn: number) =>
    db
      .updateTable('session')
      .set({ ended_at: at, reason, sequence, turn, state: null })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('ended_at', 'is', null)
      .returning('id'),
  )
  const keepState = hotRow(db, (state: string, id: string, owner: string) =>
    db.updateTable('session').set({ state }).where('id', '=', id).where('owner', '=', owner).where('ended_at', 'is', null).returning('id'),
  )
  return {
    async open({ id, accountId, flowId, session, startedAt, owner, assistant }) {
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
        assistant_version: assistant === undefined ? null : String(assistant),
      })
      if (!inserted) throw new UniqueViolation(`there is a session ${id} already`)
    },

    async close(id, owner, { reason, at, sequence, turn }) {
      return (await end(id, owner, at, reason, sequence, turn)) !== undefined
    },

    async change(id, owner, session) {
      const open = db.updateTable('session').where('id', '=', id).where('owner', '=', owner).where('ended_at', 'is', null)
      await open.set({ session: JSON.stringify(session) }).execute()
    },

    async keepStates(owner, kept) {
      const rows = kept.map(({ id, state }) => ({ id, state: JSON.stringify(state) }))
      if (dialect === 'postgres') return keepTogether(db, owner, rows)
      for (const { id, state } of rows) await keepState(state, id, owner)
    },

    async stateOf(id) {
      const row = await db.selectFrom('session').select('state').where('id', '=', id).executeTakeFirst()
      return typeof row?.state === 'string' ? (JSON.parse(row.state) as unknown) : undefined
    },

    async claim(callIds, to) {
      const ids = callIds.flatMap(sessionIdsOf)
      await db.updateTable('session').set({ owner: to }).where('id', 'in', ids).where('ended_at', 'is', null).execute()
    },

    async findOpen(id) {
      const row = await openOnes(db).where('id', '=', id).executeTakeFirst()
      return row && toOpenSession(row)
    },

    async listOpenOfCall(callId) {
      const rows = await openOnes(db).where('id', 'in', sessionIdsOf(callId)).execute()
      return rows.map(toOpenSession)
    },

    async listOpenOf(owner, limit) {
      const rows = await openOnes(db).where('owner', '=', owner).orderBy('started_at').limit(limit).execute()
      return rows.map(toOpenSession)
    },

    async assistantOf(id) {
      const row = await db
        .selectFrom('session')
        .select(['account_id', 'flow_id', 'assistant_version'])
        .where('id', '=', id)
        .where('assistant_version', 'is not', null)
        .executeTakeFirst()
      return row && { accountId: row.account_id, flowId: row.flow_id, assistant: readChoice(row.assistant_version ?? '') }
    },

    async countSms(id, max) {
      return hasEffect(
        db
          .updateTable('session')
          .set({ assistant_sms: sql`assistant_sms + 1` })
          .where('id', '=', id)
          .where('ended_at', 'is', null)
          .where('assistant_sms', '<', max),
      )
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
      return affectedRows(db.deleteFrom('session').where('ended_at', '<', at))
    },
  }
}

/** One statement for all rows. */
const keepTogether = async (db: Db, owner: string, rows: readonly { id: string; state: string }[]): Promise<void> => {
  const [ids, states] = [rows.map(({ id }) => id), rows.map(({ state }) => state)]
  await sql`update session set state = kept.state from unnest(${ids}::text[], ${states}::text[]) as kept (id, state)
    where session.id = kept.id and session.owner = ${owner} and session.ended_at is null`.execute(db)
}

const openOnes = (db: Db) => db.selectFrom('session').selectAll().where('ended_at', 'is', null)

const toOpenSession = (row: Selectable<Schema['session']>): OpenSession => ({
  id: row.id,
  accountId: row.account_id,
  flowId: row.flow_id,
  session: JSON.parse(row.session) as Session,
  startedAt: row.started_at,
  owner: row.owner,
  ...chosen(row),
})

const toEndedSession = (row: Selectable<Schema['session']>): EndedSession => ({
  id: row.id,
  accountId: row.account_id,
  flowId: row.flow_id,
  session: JSON.parse(row.session) as Session,
  reason: row.reason as SessionEndReason,
  sequence: row.sequence ?? 0,
  turn: row.turn ?? 0,
  ...chosen(row),
})

const chosen = ({ assistant_version: text }: Pick<Selectable<Schema['session']>, 'assistant_version'>) =>
  text === null ? {} : { assistant: readChoice(text) }
