import type { Notification, Notifications } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asText, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const notification = record<Schema['notification'], Notification>()({
  type: asText<Notification['type']>(),
  endpoint: 'endpointId',
  via: asText<Notification['via']>(),
  direction: asText<Notification['direction']>(),
  account_id: hidden,
  user_ext: hidden,
})

export const notifications = (db: Db): Notifications => ({
  async list(accountId, userId) {
    return notification.all(ofAccount(db, accountId).where('user_ext', '=', userId).orderBy('id'))
  },

  async listByEndpoint(accountId, endpointId) {
    return notification.all(ofAccount(db, accountId).where('endpoint', '=', endpointId).orderBy('id'))
  },

  async insert(accountId, userId, input) {
    const { id } = await db
      .insertInto('notification')
      .values({ account_id: accountId, user_ext: userId, ...notification.columns(input) })
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
