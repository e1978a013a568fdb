import type { BlfSubscription, BlfSubscriptions, PushSubscription, PushSubscriptions } from '#core/kernel/ports/store/device.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asJson, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const blf = record<Schema['sip_subscription'], BlfSubscription>()({ device: 'deviceId', way: asJson<BlfSubscription['way']>() })

export const blfSubscriptions = (db: Db): BlfSubscriptions => ({
  async put({ id, accountId, deviceId, kind, name, way, place, expiresAt }) {
    const row = blf.columns({ kind, name, way, place, expiresAt })
    await db
      .insertInto('sip_subscription')
      .values({ id, account_id: accountId, device: deviceId, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  },

  async remove(accountId, id) {
    await db.deleteFrom('sip_subscription').where('account_id', '=', accountId).where('id', '=', id).execute()
  },

  async listAt(place, now) {
    return blf.all(db.selectFrom('sip_subscription').selectAll().where('place', '=', place).where('expires_at', '>', now).orderBy('id'))
  },

  async removeExpired(now) {
    await db.deleteFrom('sip_subscription').where('expires_at', '<=', now).execute()
  },
})

const push = record<Schema['push_subscription'], PushSubscription>()({ account_id: hidden, user_ext: hidden, created_at: hidden })

export const pushSubscriptions = (db: Db): PushSubscriptions => ({
  async put(accountId, userId, { id, endpointSealed, keysSealed, language }, at) {
    const row = push.columns({ endpointSealed, keysSealed, language })
    await db
      .insertInto('push_subscription')
      .values({ id, account_id: accountId, user_ext: userId, created_at: at, ...row })
      .onConflict((conflict) => conflict.columns(['account_id', 'user_ext', 'id']).doUpdateSet(row))
      .execute()
  },

  async list(accountId, userId) {
    const ofUser = db.selectFrom('push_subscription').selectAll().where('account_id', '=', accountId).where('user_ext', '=', userId)
    return push.all(ofUser.orderBy('created_at'))
  },

  async remove(accountId, userId, id) {
    return hasEffect(
      db.deleteFrom('push_subscription').where('account_id', '=', accountId).where('user_ext', '=', userId).where('id', '=', id),
    )
  },

  async removeOfUser(accountId, userId) {
    await db.deleteFrom('push_subscription').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },

  async removeOfAccount(accountId) {
    await db.deleteFrom('push_subscription').where('account_id', '=', accountId).execute()
  },
})
