import type { BlfSubscriptions } from '#core/kernel/ports/store/device/lamp-watches.ts'
import type { Db } from '#adapters/store/schema/index.ts'

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
