import type { Selectable } from 'kysely'
import type { CallSnapshot, RunningCalls, SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const runningCalls = (db: Db): RunningCalls => {
  const insertRow = hotInsert(db, 'running_call')
  const removeRow = hotRow(db, (callId: string) => db.deleteFrom('running_call').where('call_id', '=', callId).returning('call_id'))
  return {
    open: ({ callId, owner, savedAt, snapshot }) =>
      insertRow({ call_id: callId, owner, saved_at: savedAt, snapshot: JSON.stringify(snapshot) }),

    async update(callId, snapshot, at) {
      const { numUpdatedRows } = await db
        .updateTable('running_call')
        .set({ snapshot: JSON.stringify(snapshot), saved_at: at })
        .where('call_id', '=', callId)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async remove(callId) {
      return (await removeRow(callId)) !== undefined
    },

    async has(callId) {
      return (await db.selectFrom('running_call').select('owner').where('call_id', '=', callId).executeTakeFirst()) !== undefined
    },

    async haveRecording(recordingId) {
      const found = await db.selectFrom('running_call').select('owner').where('snapshot', 'like', `%"${recordingId}"%`).executeTakeFirst()
      return found !== undefined
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
  savedAt: row.saved_at,
  snapshot: readJson(row.snapshot) as CallSnapshot,
})

/** One that is broken must not hide the others; the reader of a snapshot sees that everything is missing. */
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
