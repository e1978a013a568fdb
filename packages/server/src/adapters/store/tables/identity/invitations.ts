import type { EmailChanges, Invitation, Invitations, PasswordResets } from '#core/kernel/ports/store/identity.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asText, hidden, record } from '../record.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

const invitation = record<Schema['invitation'], Invitation>()({ locale: asText<Locale>(), account_id: hidden, nonce_hash: hidden })

export const invitations = (db: Db): Invitations => ({
  async list(accountId) {
    return invitation.all(db.selectFrom('invitation').selectAll().where('account_id', '=', accountId).orderBy('created_at').orderBy('id'))
  },

  async find(accountId, id) {
    return invitation.first(db.selectFrom('invitation').selectAll().where('account_id', '=', accountId).where('id', '=', id))
  },

  async findOpen(nonceHash, now) {
    const row = await db
      .selectFrom('invitation')
      .selectAll()
      .where('nonce_hash', '=', nonceHash)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    return row && { ...invitation.fields(row), accountId: row.account_id }
  },

  async insert(accountId, { nonceHash, ...input }) {
    const values = { account_id: accountId, ...invitation.columns(input), nonce_hash: nonceHash }
    await db.insertInto('invitation').values(values).execute()
  },

  async renew(accountId, id, { nonceHash, expiresAt }) {
    return hasEffect(
      db
        .updateTable('invitation')
        .set({ nonce_hash: nonceHash, expires_at: expiresAt })
        .where('account_id', '=', accountId)
        .where('id', '=', id),
    )
  },

  async remove(accountId, id) {
    return hasEffect(db.deleteFrom('invitation').where('account_id', '=', accountId).where('id', '=', id))
  },

  async removeByEmail(accountId, email) {
    await db.deleteFrom('invitation').where('account_id', '=', accountId).where('email', '=', email).execute()
  },

  async removeByAccount(accountId) {
    await db.deleteFrom('invitation').where('account_id', '=', accountId).execute()
  },

  async removeExpired(before) {
    return affectedRows(db.deleteFrom('invitation').where('expires_at', '<=', before))
  },
})

export const emailChanges = (db: Db): EmailChanges => {
  const ofUser = (accountId: string, userId: string) =>
    db.deleteFrom('email_change').where('account_id', '=', accountId).where('user_ext', '=', userId)
  return {
    async put(accountId, { userId, email, nonceHash, expiresAt }) {
      await ofUser(accountId, userId).execute()
      await db
        .insertInto('email_change')
        .values({ nonce_hash: nonceHash, account_id: accountId, user_ext: userId, email, expires_at: expiresAt })
        .execute()
    },

    async take(nonceHash, now) {
      const row = await db
        .deleteFrom('email_change')
        .where('nonce_hash', '=', nonceHash)
        .where('expires_at', '>', now)
        .returning(['account_id', 'user_ext', 'email'])
        .executeTakeFirst()
      return row && { accountId: row.account_id, userId: row.user_ext, email: row.email }
    },

    async removeByUser(accountId, userId) {
      await ofUser(accountId, userId).execute()
    },

    async removeExpired(now) {
      return affectedRows(db.deleteFrom('email_change').where('expires_at', '<=', now))
    },
  }
}

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
    return hasEffect(
      db
        .updateTable('password_reset')
        .set({ used_at: now })
        .where('nonce_hash', '=', nonceHash)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now),
    )
  },

  async removeByUser(accountId, userId) {
    await db.deleteFrom('password_reset').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },

  async removeExpired(now) {
    return affectedRows(db.deleteFrom('password_reset').where('expires_at', '<=', now))
  },
})
