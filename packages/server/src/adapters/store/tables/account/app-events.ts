import type { AppEvents } from '#core/kernel/ports/store/account/app-events.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const appEvents = (db: Db): AppEvents => ({
  async list(accountId) {
    const rows = await db.selectFrom('app_event').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
    return rows.map((row) => ({ id: row.id, type: row.type, name: row.name, payload: JSON.parse(row.payload) as Record<string, string> }))
  },

  async insert(accountId, { type, name, payload }, at) {
    await db
      .insertInto('app_event')
      .values({ account_id: accountId, type, name, payload: JSON.stringify(payload), created_at: at })
      .execute()
  },

  async remove(accountId, id) {
    const { numDeletedRows } = await db.deleteFrom('app_event').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
    return numDeletedRows > 0
  },
})
