import type { Idempotency, StoredReply } from '#core/kernel/ports/store/work.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

const request = record<Schema['idempotency'], StoredReply>()({ created_at: 'at', account_id: hidden, key: hidden })

export const idempotency = (db: Db): Idempotency => ({
  async find(accountId, key) {
    return request.first(db.selectFrom('idempotency').selectAll().where('account_id', '=', accountId).where('key', '=', key))
  },

  async begin(accountId, key, { operation, bodyHash, effectId, at }) {
    return hasEffect(
      db
        .insertInto('idempotency')
        .values({ account_id: accountId, key, ...request.columns({ operation, bodyHash, effectId, at }) })
        .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing()),
    )
  },

  async takeOver(accountId, key, { from, at }) {
    return hasEffect(
      db
        .updateTable('idempotency')
        .set({ created_at: at })
        .where('account_id', '=', accountId)
        .where('key', '=', key)
        .where('created_at', '=', from)
        .where('reply', 'is', null),
    )
  },

  async finish(accountId, key, { at, reply }) {
    await db
      .updateTable('idempotency')
      .set({ reply })
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('created_at', '=', at)
      .execute()
  },

  async forget(accountId, key, { at }) {
    await db.deleteFrom('idempotency').where('account_id', '=', accountId).where('key', '=', key).where('created_at', '=', at).execute()
  },

  async removeOlderThan(at) {
    return affectedRows(db.deleteFrom('idempotency').where('created_at', '<', at))
  },
})
