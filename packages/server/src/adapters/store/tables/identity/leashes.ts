import type { Selectable } from 'kysely'
import type { Leash, Leashes, LeashRules } from '#core/kernel/ports/store/identity/leashes.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const leashes = (db: Db): Leashes => {
  const ofUser = (accountId: string, userId: string) =>
    db.selectFrom('leash').selectAll().where('account_id', '=', accountId).where('user_ext', '=', userId)

  return {
    async list(accountId, userId) {
      const rows = await ofUser(accountId, userId).orderBy('id').execute()
      return rows.map(toLeash)
    },

    async find(accountId, userId, id) {
      const row = await ofUser(accountId, userId).where('id', '=', id).executeTakeFirst()
      return row && toLeash(row)
    },

    async set(accountId, { userId, id, holder, rules }) {
      const changed = { holder, rules: JSON.stringify(rules) }
      await db
        .insertInto('leash')
        .values({ account_id: accountId, user_ext: userId, id, ...changed })
        .onConflict((conflict) => conflict.columns(['account_id', 'user_ext', 'id']).doUpdateSet(changed))
        .execute()
    },

    async remove(accountId, userId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('leash')
        .where('account_id', '=', accountId)
        .where('user_ext', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0
    },

    async removeByClient(clientId) {
      await db.deleteFrom('leash').where('id', '=', clientId).where('holder', '=', 'client').execute()
    },

    async removeByUser(accountId, userId) {
      await db.deleteFrom('leash').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
    },
  }
}

const toLeash = (row: Selectable<Schema['leash']>): Leash => ({
  userId: row.user_ext,
  id: row.id,
  holder: row.holder,
  rules: JSON.parse(row.rules) as LeashRules,
})
