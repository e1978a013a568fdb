import type { Idempotency } from '#core/kernel/ports/store/work.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

export const idempotency = (db: Db): Idempotency => ({
  async find(accountId, key) {
    const row = await db.selectFrom('idempotency').selectAll().where('account_id', '=', accountId).where('key', '=', key).executeTakeFirst()
    return (
      row && {
        operation: row.operation,
        bodyHash: row.body_hash,
        effectId: row.effect_id,
        at: row.created_at,
        reply: row.reply ?? undefined,
      }
    )
  },

  async begin(accountId, key, { operation, bodyHash, effectId, at }) {
    return hasEffect(
      db
        .insertInto('idempotency')
        .values({ account_id: accountId, key, operation, body_hash: bodyHash, effect_id: effectId, reply: null, created_at: at })
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
