import type { Selectable } from 'kysely'
import type { CallSide, CallSnapshot, RunningCalls, SavedCall } from '#core/kernel/ports/store/call.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const runningCalls = (db: Db, dialect: Dialect): RunningCalls => {
  const insertRow = hotInsert(db, 'running_call')
  const removeRow = hotRow(db, (callId: string, owner: string, epoch: number) =>
    db.deleteFrom('running_call').where('call_id', '=', callId).where('owner', '=', owner).where('epoch', '=', epoch).returning('call_id'),
  )
  const updateRow = hotRow(db, (snapshot: string, version: number, at: number, callId: string, owner: string, epoch: number) =>
    db
      .updateTable('running_call')
      .set({ snapshot, version, saved_at: at })
      .where('call_id', '=', callId)
      .where('owner', '=', owner)
      .where('epoch', '=', epoch)
      .returning('call_id'),
  )
  return {
    open: ({ callId, owner, epoch, startedAt, savedAt, snapshot }) =>
      insertRow({
        call_id: callId,
        owner,
        epoch,
        version: snapshot.version ?? 1,
        started_at: startedAt,
        saved_at: savedAt,
        snapshot: JSON.stringify(snapshot),
      }),

    async update({ callId, owner, epoch }, snapshot, at) {
      return (await updateRow(JSON.stringify(snapshot), snapshot.version ?? 1, at, callId, owner, epoch)) !== undefined
    },

    async remove({ callId, owner, epoch }) {
      return (await removeRow(callId, owner, epoch)) !== undefined
    },

    async isTaken({ callId, owner, epoch }) {
      const row = await db
        .selectFrom('running_call')
        .select(['owner', 'epoch'])
        .where('call_id', '=', callId)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst()
      return row !== undefined && (row.owner !== owner || row.epoch !== epoch)
    },

    async claim(from, to, { most: max, version }) {
      const rows = await db
        .updateTable('running_call')
        .set((eb) => ({ owner: to, epoch: eb('epoch', '+', 1) }))
        .where('call_id', 'in', (eb) =>
          eb
            .selectFrom('running_call as free')
            .select('free.call_id')
            .where('free.owner', '=', from)
            .where('free.version', '<=', version)
            .orderBy('free.started_at')
            .limit(max)
            .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked()),
        )
        .returningAll()
        .execute()
      return rows.map(toSavedCall)
    },

    async pass({ callId, owner, epoch }, to) {
      const row = await db
        .updateTable('running_call')
        .set({ owner: to, epoch: epoch + 1 })
        .where('call_id', '=', callId)
        .where('owner', '=', owner)
        .where('epoch', '=', epoch)
        .returningAll()
        .executeTakeFirst()
      return row && toSavedCall(row)
    },

    async holderOf(callId) {
      const row = await db.selectFrom('running_call').select(['owner', 'epoch']).where('call_id', '=', callId).executeTakeFirst()
      return row && { callId, ...row }
    },

    async holdsOf(owner) {
      const rows = await db.selectFrom('running_call').select(['call_id', 'epoch']).where('owner', '=', owner).execute()
      return rows.map(({ call_id: callId, epoch }) => ({ callId, owner, epoch }))
    },

    async has(callId) {
      return (await db.selectFrom('running_call').select('owner').where('call_id', '=', callId).executeTakeFirst()) !== undefined
    },

    async haveRecording(recordingId) {
      const found = await db.selectFrom('running_call').select('owner').where('snapshot', 'like', `%"${recordingId}"%`).executeTakeFirst()
      return found !== undefined
    },

    async sidesOf(accountId) {
      const rows = await db.selectFrom('running_call').select('snapshot').where('snapshot', 'like', `%"${accountId}"%`).execute()
      const sides = rows.flatMap(({ snapshot }) => (readJson(snapshot) as Partial<CallSnapshot>).sides ?? []) as CallSide[]
      return sides.filter((side) => side.accountId === accountId)
    },

    async listOf(owner, limit) {
      const rows = await db
        .selectFrom('running_call')
        .selectAll()
        .where('owner', '=', owner)
        .orderBy('saved_at')
        .orderBy('call_id')
        .limit(limit)
        .execute()
      return rows.map(toSavedCall)
    },
  }
}

const toSavedCall = (row: Selectable<Schema['running_call']>): SavedCall => ({
  callId: row.call_id,
  owner: row.owner,
  epoch: row.epoch,
  startedAt: row.started_at,
  savedAt: row.saved_at,
  snapshot: readJson(row.snapshot) as CallSnapshot,
})

/** A broken snapshot must not hide the others; its reader sees that everything is missing. */
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
