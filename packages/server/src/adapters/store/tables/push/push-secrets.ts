import type { PushSecrets } from '#core/kernel/ports/store/push/push-secrets.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const pushSecrets = (db: Db): PushSecrets => ({
  async list(accountId) {
    const rows = await db
      .selectFrom('push_secret')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
    return rows.map(({ id, sealed, created_at, expires_at }) => ({ id, sealed, createdAt: created_at, expiresAt: expires_at ?? undefined }))
  },

  async insert(accountId, { id, sealed, createdAt, expiresAt }) {
    const row = { account_id: accountId, id, sealed, created_at: createdAt, expires_at: expiresAt ?? null }
    await db.insertInto('push_secret').values(row).execute()
  },

  async expireAll(accountId, expiresAt) {
    await db
      .updateTable('push_secret')
      .set({ expires_at: expiresAt })
      .where('account_id', '=', accountId)
      .where('expires_at', 'is', null)
      .execute()
  },

  async remove(accountId, id) {
    const { numDeletedRows } = await db
      .deleteFrom('push_secret')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows > 0
  },
})
