import type { Selectable } from 'kysely'
import type { Notification, Notifications } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const notifications = (db: Db): Notifications => ({
  async list(accountId, userId) {
    const rows = await ofAccount(db, accountId).where('user_ext', '=', userId).orderBy('id').execute()
    return rows.map(toNotification)
  },

  async listByEndpoint(accountId, endpointId) {
    const rows = await ofAccount(db, accountId).where('endpoint', '=', endpointId).orderBy('id').execute()
    return rows.map(toNotification)
  },

  async insert(accountId, userId, { type, endpointId, via, recipient, direction }) {
    const { id } = await db
      .insertInto('notification')
      .values({ account_id: accountId, user_ext: userId, type, endpoint: endpointId, via, recipient, direction })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async remove(accountId, userId, id) {
    return hasEffect(db.deleteFrom('notification').where('account_id', '=', accountId).where('user_ext', '=', userId).where('id', '=', id))
  },

  async removeByUser(accountId, userId, endpointIds) {
    await db
      .deleteFrom('notification')
      .where('account_id', '=', accountId)
      .where('user_ext', '=', userId)
      .$if(endpointIds !== undefined, (query) => query.where('endpoint', 'in', endpointIds ?? []))
      .execute()
  },

  async removeByEndpoint(accountId, endpointId) {
    await db.deleteFrom('notification').where('account_id', '=', accountId).where('endpoint', '=', endpointId).execute()
  },
})

const ofAccount = (db: Db, accountId: string) => db.selectFrom('notification').selectAll().where('account_id', '=', accountId)

const toNotification = (row: Selectable<Schema['notification']>): Notification => ({
  id: row.id,
  type: row.type as Notification['type'],
  endpointId: row.endpoint,
  via: row.via as Notification['via'],
  recipient: row.recipient,
  direction: row.direction as Notification['direction'],
})
