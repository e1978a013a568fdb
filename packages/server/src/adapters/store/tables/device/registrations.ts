import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Registrations, Refresh, Registration } from '#core/kernel/ports/store/device.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotRows } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { countRows, hasEffect } from '../row-counts.ts'

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
      return hasEffect(
        db
          .insertInto('registration')
          .values({ account_id: accountId, device: deviceId, contact, ...place })
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'device', 'contact'])
              .doUpdateSet(place)
              .where((eb) => eb.or([eb('registration.call_id', '!=', callId), eb('registration.cseq', '<', cseq)])),
          ),
      )
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
      return countRows(db.selectFrom('registration').where('expires_at', '>', now))
    },
  }
}

const ofDevice = (db: Db, accountId: string, deviceId: string) =>
  db.deleteFrom('registration').where('account_id', '=', accountId).where('device', '=', deviceId)

type Row = Selectable<Schema['registration']>

/** Columns that a refresh must not change. */
const unchanged = [
  'account_id',
  'device',
  'contact',
  'path',
  'q',
  'received_ip',
  'received_port',
  'transport',
  'user_agent',
  'via',
  'origin',
  'call_id',
] as const satisfies (keyof Row)[]

type Given = Pick<Row, (typeof unchanged)[number] | 'cseq' | 'expires_at'> & { nth: number; password_sealed: string }

const givenOf = ({ identity, registration }: Refresh, nth: number): Given => ({
  nth,
  account_id: identity.accountId,
  device: identity.deviceId,
  password_sealed: identity.passwordSealed,
  contact: registration.contact,
  path: registration.path,
  q: registration.q,
  received_ip: registration.ip,
  received_port: registration.port,
  transport: registration.transport,
  user_agent: registration.userAgent,
  via: registration.via,
  origin: registration.origin,
  call_id: registration.callId,
  cseq: registration.cseq,
  expires_at: registration.expiresAt,
})

const columns = sql.raw(
  `nth integer, password_sealed text, cseq bigint, expires_at bigint, ${unchanged.map((name) => `${name} ${name === 'received_port' ? 'integer' : 'text'}`).join(', ')}`,
)

const isSameValue = sql.raw(unchanged.map((name) => `registration.${name} = given.${name}`).join(' and '))

/** The phone may still register: its password, user and account are unchanged. */
const mayRegister = sql.raw(`exists (select 1 from device
  join account on account.id = device.account_id
  join app_user on app_user.account_id = device.account_id and app_user.ext = device.owner
  where device.account_id = given.account_id and device.ext = given.device and device.sip_password_sealed = given.password_sealed
    and account.closed_at is null and app_user.disabled_at is null and app_user.inactive_at is null)`)

/** One statement for all, which also returns the phones' other registrations. */
const refreshMany =
  (db: Db): Registrations['refresh'] =>
  async (list, now) => {
    const given = list.map(givenOf)
    const { rows } = await sql<Row & { nth: number }>`
      with given as (select * from json_to_recordset(${JSON.stringify(given)}::json) as phone (${columns})),
        renewed as (update registration set cseq = given.cseq, expires_at = given.expires_at from given
          where ${isSameValue} and registration.cseq < given.cseq and registration.expires_at > ${now} and ${mayRegister}
          returning given.nth, registration.account_id, registration.device)
      select renewed.nth, registration.* from renewed join registration using (account_id, device)
      where registration.expires_at > ${now} order by registration.expires_at desc, registration.contact`.execute(db)
    const found = Map.groupBy(rows, ({ nth }) => nth)
    return list.map(({ registration }, nth) => found.get(nth)?.map((row) => asRenewed(toRegistration(row), registration)))
  }

/** The statement sees the table as it was before. */
const asRenewed = (found: Registration, renewed: Registration): Registration => (found.contact === renewed.contact ? renewed : found)

/** For cheap statements: two per phone. */
const refreshEach =
  (db: Db): Registrations['refresh'] =>
  async (list, now) => {
    const renewed: (Registration[] | undefined)[] = []
    for (const [nth, one] of list.entries()) renewed.push(await refreshOne(db, givenOf(one, nth), now))
    return renewed
  }

const refreshOne = async (db: Db, given: Given, now: number): Promise<Registration[] | undefined> => {
  const named = ([...unchanged, 'password_sealed'] as const).map((name): RawBuilder<unknown> => sql`${given[name]} as ${sql.ref(name)}`)
  const { rows } = await sql<{ contact: string }>`
    update registration set cseq = ${given.cseq}, expires_at = ${given.expires_at} from (select ${sql.join(named)}) as given
    where ${isSameValue} and registration.cseq < ${given.cseq} and registration.expires_at > ${now} and ${mayRegister}
    returning registration.contact`.execute(db)
  if (rows.length === 0) return undefined
  const all = db.selectFrom('registration').selectAll().where('account_id', '=', given.account_id).where('device', '=', given.device)
  return (await all.where('expires_at', '>', now).orderBy('expires_at', 'desc').orderBy('contact').execute()).map(toRegistration)
}

const toRegistration = (row: Selectable<Schema['registration']>): Registration => ({
  contact: row.contact,
  path: row.path,
  q: row.q,
  ip: row.received_ip,
  via: row.via,
  origin: row.origin,
  port: row.received_port,
  transport: row.transport,
  userAgent: row.user_agent,
  callId: row.call_id,
  cseq: row.cseq,
  expiresAt: row.expires_at,
})
