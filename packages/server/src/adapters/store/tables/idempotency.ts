import type { Idempotency } from '../../../core/ports/store/idempotency.ts'
import type { Db } from '../schema/index.ts'

export const idempotency = (db: Db): Idempotency => ({
  async find(accountId, key) {
    const row = await db.selectFrom('idempotency').selectAll().where('account_id', '=', accountId).where('key', '=', key).executeTakeFirst()
    return row && { operation: row.operation, bodyHash: row.body_hash, reply: row.reply ?? undefined, createdAt: row.created_at }
  },

  async begin(accountId, key, { operation, bodyHash, at }) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('idempotency')
      .values({ account_id: accountId, key, operation, body_hash: bodyHash, reply: null, created_at: at })
      .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  async finish(accountId, key, reply) {
    await db.updateTable('idempotency').set({ reply }).where('account_id', '=', accountId).where('key', '=', key).execute()
  },

  async forget(accountId, key) {
    await db.deleteFrom('idempotency').where('account_id', '=', accountId).where('key', '=', key).execute()
  },

  async removeOlderThan(at) {
    const { numDeletedRows } = await db.deleteFrom('idempotency').where('created_at', '<', at).executeTakeFirst()
    return Number(numDeletedRows)
  },
})
