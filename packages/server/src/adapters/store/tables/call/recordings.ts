import type { Selectable } from 'kysely'
import type { Recordings, StoredRecording } from '#core/kernel/ports/store/call/recordings.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const recordings = (db: Db): Recordings => {
  const ofAccount = (accountId: string) => db.selectFrom('recording').selectAll().where('account_id', '=', accountId)
  return {
    async insert(recording) {
      await db
        .insertInto('recording')
        .values(toRow(recording))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    async find(accountId, id) {
      const row = await ofAccount(accountId).where('id', '=', id).executeTakeFirst()
      return row && toRecording(row)
    },

    async fill(accountId, id, { durationMs, bytes }) {
      await db
        .updateTable('recording')
        .set({ duration_ms: durationMs, bytes })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('bytes', '=', 0)
        .execute()
    },

    async listByCall(accountId, callId) {
      const rows = await ofAccount(accountId).where('call_id', '=', callId).orderBy('created_at').orderBy('id').execute()
      return rows.map(toRecording)
    },

    async list(accountId, limit) {
      const rows = await ofAccount(accountId).orderBy('id').limit(limit).execute()
      return rows.map(toRecording)
    },

    async listBefore(at, limit) {
      const rows = await db.selectFrom('recording').selectAll().where('created_at', '<', at).orderBy('created_at').limit(limit).execute()
      return rows.map(toRecording)
    },

    async totalBytes(accountId) {
      const { total } = await db
        .selectFrom('recording')
        .select((eb) => eb.fn.sum<number | string | null>('bytes').as('total'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
      return Number(total ?? 0)
    },

    async remove(accountId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('recording')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

const toRow = (recording: StoredRecording): Schema['recording'] => ({
  account_id: recording.accountId,
  id: recording.id,
  call_id: recording.callId,
  kind: recording.kind,
  created_at: recording.createdAt,
  duration_ms: recording.durationMs,
  bytes: recording.bytes,
  truncated: flag(recording.truncated),
})

const toRecording = (row: Selectable<Schema['recording']>): StoredRecording => ({
  id: row.id,
  accountId: row.account_id,
  callId: row.call_id,
  kind: row.kind,
  createdAt: row.created_at,
  durationMs: row.duration_ms,
  bytes: row.bytes,
  truncated: row.truncated === 1,
})
