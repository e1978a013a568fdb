import type { PushSubscriptions } from '#core/kernel/ports/store/device/push-subscriptions.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const pushSubscriptions = (db: Db): PushSubscriptions => ({
  async put(accountId, userId, { id, endpointSealed, keysSealed, language }, at) {
    const row = { endpoint_sealed: endpointSealed, keys_sealed: keysSealed, language }
    await db
      .insertInto('push_subscription')
      .values({ id, account_id: accountId, user_ext: userId, created_at: at, ...row })
      .onConflict((conflict) => conflict.columns(['account_id', 'user_ext', 'id']).doUpdateSet(row))
      .execute()
  },

  async list(accountId, userId) {
    const rows = await db
      .selectFrom('push_subscription')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('user_ext', '=', userId)
      .orderBy('created_at')
      .execute()
    return rows.map((row) => ({ id: row.id, endpointSealed: row.endpoint_sealed, keysSealed: row.keys_sealed, language: row.language }))
  },

  async remove(accountId, userId, id) {
    const { numDeletedRows } = await db
      .deleteFrom('push_subscription')
      .where('account_id', '=', accountId)
      .where('user_ext', '=', userId)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows > 0
  },

  async removeOfUser(accountId, userId) {
    await db.deleteFrom('push_subscription').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },

  async removeOfAccount(accountId) {
    await db.deleteFrom('push_subscription').where('account_id', '=', accountId).execute()
  },
})
