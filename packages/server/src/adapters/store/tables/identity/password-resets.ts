import type { PasswordResets } from '#core/kernel/ports/store/identity/password-resets.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const passwordResets = (db: Db): PasswordResets => ({
  async insert(accountId, { userId, nonceHash, createdAt, expiresAt }) {
    await db
      .insertInto('password_reset')
      .values({
        nonce_hash: nonceHash,
        account_id: accountId,
        user_ext: userId,
        created_at: createdAt,
        expires_at: expiresAt,
        used_at: null,
      })
      .execute()
  },

  async findOpen(nonceHash, now) {
    const row = await db
      .selectFrom('password_reset')
      .select(['account_id', 'user_ext'])
      .where('nonce_hash', '=', nonceHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    return row && { accountId: row.account_id, userId: row.user_ext }
  },

  async use(nonceHash, now) {
    const { numUpdatedRows } = await db
      .updateTable('password_reset')
      .set({ used_at: now })
      .where('nonce_hash', '=', nonceHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async removeByUser(accountId, userId) {
    await db.deleteFrom('password_reset').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },

  async removeExpired(now) {
    const { numDeletedRows } = await db.deleteFrom('password_reset').where('expires_at', '<=', now).executeTakeFirst()
    return Number(numDeletedRows)
  },
})
