import type { Selectable } from 'kysely'
import type { AuditStream, AuditStreams } from '#core/kernel/ports/store/operate.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const auditStreams = (db: Db): AuditStreams => {
  const update = (accountId: string, id: string) => db.updateTable('audit_stream').where('account_id', '=', accountId).where('id', '=', id)
  return {
    async list(accountId) {
      const query = db.selectFrom('audit_stream').selectAll().where('account_id', '=', accountId)
      return (await query.orderBy('created_at').orderBy('id').execute()).map(toStream)
    },

    async insert(accountId, { id, kind, url, secretSealed, position, createdAt }) {
      await db
        .insertInto('audit_stream')
        .values({ account_id: accountId, id, kind, url, secret_sealed: secretSealed ?? null, position, created_at: createdAt })
        .execute()
    },

    async find(accountId, id) {
      const query = db.selectFrom('audit_stream').selectAll().where('account_id', '=', accountId).where('id', '=', id)
      const row = await query.executeTakeFirst()
      return row && toStream(row)
    },

    async noteDelivered(accountId, id, position) {
      await update(accountId, id).set({ position, failures: 0, failing_since: null, failure: null }).execute()
    },

    async noteFailure(accountId, id, { at, message }) {
      await update(accountId, id)
        .set((row) => ({
          failures: row('failures', '+', 1),
          failing_since: row.fn.coalesce('failing_since', row.val(at)),
          failure: message,
        }))
        .execute()
    },

    async remove(accountId, id) {
      const query = db.deleteFrom('audit_stream').where('account_id', '=', accountId).where('id', '=', id)
      return (await query.executeTakeFirst()).numDeletedRows > 0n
    },

    async removeAll(accountId) {
      await db.deleteFrom('audit_stream').where('account_id', '=', accountId).execute()
    },
  }
}

const toStream = (row: Selectable<Schema['audit_stream']>): AuditStream => ({
  id: row.id,
  kind: row.kind,
  url: row.url,
  secretSealed: row.secret_sealed ?? undefined,
  position: row.position,
  failures: row.failures,
  failingSince: row.failing_since ?? undefined,
  failure: row.failure ?? undefined,
  createdAt: row.created_at,
})
