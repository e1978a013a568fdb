import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Refresh, Registration, Registrations } from '#core/kernel/ports/store/device/registrations.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { toRegistration } from './registration-row.ts'

type Row = Selectable<Schema['registration']>

/** All that a refresh may not change. */
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

/** The phone may still register: its password, its user and its account are what they were. */
const mayRegister = sql.raw(`exists (select 1 from device
  join account on account.id = device.account_id
  join app_user on app_user.account_id = device.account_id and app_user.ext = device.owner
  where device.account_id = given.account_id and device.ext = given.device and device.sip_password_sealed = given.password_sealed
    and account.closed_at is null and app_user.disabled_at is null and app_user.inactive_at is null)`)

/** All of them in one statement, which also says where else the phones are registered. */
export const refreshMany =
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

/** Where a statement costs next to nothing, two for each. */
export const refreshEach =
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
