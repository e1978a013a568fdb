import type { Registrations } from '#core/kernel/ports/store/device/registrations.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotRows } from '#adapters/store/sqlite/hot-row.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { refreshEach, refreshMany } from './refresh.ts'
import { toRegistration } from './registration-row.ts'

export const registrations = (db: Db, dialect: Dialect): Registrations => {
  const whereAnyIs = (accountId: string, deviceIds: readonly string[], now: number) =>
    db
      .selectFrom('registration')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('device', 'in', deviceIds)
      .where('expires_at', '>', now)
      .orderBy('expires_at', 'desc')
      .orderBy('contact')
  const whereOneIs = hotRows(db, (accountId: string, deviceId: string, now: number) => whereAnyIs(accountId, [deviceId], now))
  return {
    refresh: dialect === 'postgres' ? refreshMany(db) : refreshEach(db),

    async findBySipUsername(username) {
      const row = await db
        .selectFrom('device')
        .innerJoin('account', 'account.id', 'device.account_id')
        .innerJoin('app_user', (join) =>
          join.onRef('app_user.account_id', '=', 'device.account_id').onRef('app_user.ext', '=', 'device.owner'),
        )
        .select(['device.account_id', 'device.ext', 'device.sip_password_sealed'])
        .where('device.sip_username', '=', username)
        .where('account.closed_at', 'is', null)
        .where('app_user.disabled_at', 'is', null)
        .where('app_user.inactive_at', 'is', null)
        .executeTakeFirst()
      if (!row || row.sip_password_sealed === null) return undefined
      return { accountId: row.account_id, deviceId: row.ext, passwordSealed: row.sip_password_sealed }
    },

    async register(accountId, deviceId, registration, now) {
      await ofDevice(db, accountId, deviceId).where('expires_at', '<=', now).execute()
      const { contact, callId, cseq } = registration
      const place = {
        path: registration.path,
        q: registration.q,
        received_ip: registration.ip,
        via: registration.via,
        origin: registration.origin,
        received_port: registration.port,
        transport: registration.transport,
        user_agent: registration.userAgent,
        call_id: callId,
        cseq,
        expires_at: registration.expiresAt,
      }
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('registration')
        .values({ account_id: accountId, device: deviceId, contact, ...place })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'device', 'contact'])
            .doUpdateSet(place)
            .where((eb) => eb.or([eb('registration.call_id', '!=', callId), eb('registration.cseq', '<', cseq)])),
        )
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    },

    async unregister(accountId, deviceId, contact) {
      await ofDevice(db, accountId, deviceId)
        .$if(contact !== undefined, (query) => query.where('contact', '=', contact ?? ''))
        .execute()
    },

    async moveRegistrations(ms) {
      await db
        .updateTable('registration')
        .set((eb) => ({ expires_at: eb('expires_at', '+', ms) }))
        .execute()
    },

    async registrations(accountId, deviceIds, now) {
      if (deviceIds.length === 0) return new Map()
      const [only = '', ...others] = deviceIds
      const rows = others.length === 0 ? await whereOneIs(accountId, only, now) : await whereAnyIs(accountId, deviceIds, now).execute()
      return new Map([...Map.groupBy(rows, (row) => row.device)].map(([device, found]) => [device, found.map(toRegistration)]))
    },

    async registeredFlows(now) {
      return db
        .selectFrom('registration')
        .select(['received_ip as address', 'received_port as port', 'transport as kind'])
        .where('expires_at', '>', now)
        .execute()
    },

    async countRegistrations(now) {
      const { count } = await db
        .selectFrom('registration')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

const ofDevice = (db: Db, accountId: string, deviceId: string) =>
  db.deleteFrom('registration').where('account_id', '=', accountId).where('device', '=', deviceId)
