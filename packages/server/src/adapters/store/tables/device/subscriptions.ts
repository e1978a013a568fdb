import type { BlfSubscriptions, PushSubscriptions } from '#core/kernel/ports/store/device.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const blfSubscriptions = (db: Db): BlfSubscriptions => ({
  async put({ id, accountId, deviceId, kind, name, way, place, expiresAt }) {
    const row = { kind, name, way: JSON.stringify(way), place, expires_at: expiresAt }
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
    const rows = await db
      .selectFrom('sip_subscription')
      .selectAll()
      .where('place', '=', place)
      .where('expires_at', '>', now)
      .orderBy('id')
      .execute()
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      deviceId: row.device,
      kind: row.kind,
      name: row.name,
      way: JSON.parse(row.way) as Record<string, unknown>,
      place: row.place,
      expiresAt: row.expires_at,
    }))
  },

  async removeExpired(now) {
    await db.deleteFrom('sip_subscription').where('expires_at', '<=', now).execute()
  },
})

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
