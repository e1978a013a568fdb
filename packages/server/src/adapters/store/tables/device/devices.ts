import { sql, type Selectable, type Updateable } from 'kysely'
import type { Device, DeviceChange, Devices, Named } from '#core/kernel/ports/store/device.ts'
import type { ExtensionKind } from '#core/kernel/ports/store/line.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { extensions } from '../line/extensions.ts'
import { columnOf, typeOf } from '../line/attached-devices.ts'
import { registrations } from './registrations.ts'
import { countRows, hasEffect } from '../row-counts.ts'

const letters = { REGISTER: 'e', MOBILE: 'y', EXTERNAL: 'x', BROWSER: 'e' } as const satisfies Record<Device['type'], ExtensionKind>

export const devices = (db: Db, dialect: Dialect): Devices => ({
  ...registrations(db, dialect),

  async list(accountId) {
    const rows = await named(db, accountId).execute()
    return rows.map(toDevice)
  },

  async listByOwner(accountId, owner, type) {
    const rows = await named(db, accountId)
      .where('device.owner', '=', owner)
      .$if(type !== undefined, (query) =>
        query.where('device.type', '=', columnOf(type)).where('device.browser', '=', flag(type === 'BROWSER')),
      )
      .execute()
    return rows.map(toDevice)
  },

  async find(accountId, id) {
    const row = await named(db, accountId).where('device.ext', '=', id).executeTakeFirst()
    return row && toDevice(row)
  },

  async lock(accountId, id) {
    const row = await named(db, accountId)
      .where('device.ext', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate('device'))
      .executeTakeFirst()
    return row && toDevice(row)
  },

  async count(accountId) {
    return countRows(db.selectFrom('device').where('account_id', '=', accountId).where('browser', '=', 0))
  },

  async insert(accountId, { owner, alias, type, number, at }) {
    const ext = await extensions(db).create(accountId, { kind: letters[type], alias, owner, at })
    await db
      .insertInto('device')
      .values({
        account_id: accountId,
        ext,
        owner,
        type: columnOf(type),
        browser: flag(type === 'BROWSER'),
        dnd: 0,
        caller_id: null,
        emergency_address_id: null,
        local_prefix: '',
        local_prefix_active: 0,
        single_row_display: 0,
        tariff_announcement: 0,
        sip_username: null,
        sip_password_sealed: null,
        external_number: number ?? null,
        incoming_call_display: type === 'EXTERNAL' ? 'CALLER_NUMBER' : null,
        esim: 0,
      })
      .execute()
    return ext
  },

  update: (accountId, id, change) => set(db, accountId, id, toColumns(change)),

  async noteSound(accountId, id, { state, callId, at }) {
    await set(db, accountId, id, { sound_state: state, sound_call_id: callId, sound_at: at })
  },

  async forgetSound(accountId, id, callId) {
    await db
      .updateTable('device')
      .set({ sound_state: null, sound_call_id: null, sound_at: null })
      .where('account_id', '=', accountId)
      .where('ext', '=', id)
      .where('sound_call_id', '=', callId)
      .execute()
  },

  async setSipCredentials(accountId, id, { username, passwordSealed }) {
    await set(db, accountId, id, { sip_username: username, sip_password_sealed: passwordSealed })
  },

  async remove(accountId, id, at) {
    for (const table of ['phoneline_device', 'group_device', 'registration'] as const)
      await db.deleteFrom(table).where('account_id', '=', accountId).where('device', '=', id).execute()
    await db.deleteFrom('device').where('account_id', '=', accountId).where('ext', '=', id).execute()
    await extensions(db).remove(accountId, id, at)
  },

  phonelines: (accountId, ids) => attachedTo(db, 'phoneline_device', 'phoneline', accountId, ids),
  groups: (accountId, ids) => attachedTo(db, 'group_device', 'hunt_group', accountId, ids),
})

const named = (db: Db, accountId: string) =>
  db
    .selectFrom('device')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'device.account_id').onRef('extension.ext', '=', 'device.ext'),
    )
    .selectAll('device')
    .select('extension.alias')
    .where('device.account_id', '=', accountId)
    .orderBy('extension.kind')
    .orderBy('extension.n')

/** Lines or groups that each device rings for, by the attaching table. */
const attachedTo = async (
  db: Db,
  table: 'phoneline_device' | 'group_device',
  column: 'phoneline' | 'hunt_group',
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, Named[]>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Named & { device: string }>`
    select member.device, extension.ext as id, extension.alias from ${sql.table(table)} as member
    join extension on extension.account_id = member.account_id and extension.ext = ${sql.ref(`member.${column}`)}
    where member.account_id = ${accountId} and member.device in (${sql.join(ids)}) and extension.deleted_at is null
    order by extension.n`.execute(db)
  return byDevice(rows)
}

const byDevice = (rows: (Named & { device: string })[]): Map<string, Named[]> =>
  new Map([...Map.groupBy(rows, (row) => row.device)].map(([device, found]) => [device, found.map(({ id, alias }) => ({ id, alias }))]))

const set = async (db: Db, accountId: string, id: string, change: Updateable<Schema['device']>): Promise<boolean> => {
  return hasEffect(
    db
      .updateTable('device')
      .set({ dnd: (eb) => eb.ref('dnd'), ...change }) // an empty change still checks whether the device exists
      .where('account_id', '=', accountId)
      .where('ext', '=', id),
  )
}

const toColumns = (change: DeviceChange): Updateable<Schema['device']> => ({
  ...(change.dnd !== undefined && { dnd: flag(change.dnd) }),
  ...(change.callerId !== undefined && { caller_id: change.callerId }),
  ...(change.emergencyAddressId !== undefined && { emergency_address_id: change.emergencyAddressId }),
  ...(change.localPrefix !== undefined && { local_prefix: change.localPrefix }),
  ...(change.localPrefixActive !== undefined && { local_prefix_active: flag(change.localPrefixActive) }),
  ...(change.singleRowDisplay !== undefined && { single_row_display: flag(change.singleRowDisplay) }),
  ...(change.tariffAnnouncement !== undefined && { tariff_announcement: flag(change.tariffAnnouncement) }),
  ...(change.externalNumber !== undefined && { external_number: change.externalNumber }),
  ...(change.incomingCallDisplay !== undefined && { incoming_call_display: change.incomingCallDisplay }),
})

const toDevice = (row: Selectable<Schema['device']> & { alias: string }): Device => ({
  id: row.ext,
  alias: row.alias,
  owner: row.owner,
  type: typeOf(row),
  dnd: row.dnd === 1,
  callerId: row.caller_id ?? undefined,
  emergencyAddressId: row.emergency_address_id ?? undefined,
  localPrefix: row.local_prefix,
  localPrefixActive: row.local_prefix_active === 1,
  singleRowDisplay: row.single_row_display === 1,
  tariffAnnouncement: row.tariff_announcement === 1,
  sip:
    row.sip_username === null || row.sip_password_sealed === null
      ? undefined
      : { username: row.sip_username, passwordSealed: row.sip_password_sealed },
  external:
    row.type === 'EXTERNAL'
      ? { number: row.external_number ?? '', incomingCallDisplay: row.incoming_call_display ?? 'CALLER_NUMBER' }
      : undefined,
  esim: row.esim === 1,
  sound:
    row.sound_state === null || row.sound_call_id === null || row.sound_at === null
      ? undefined
      : { state: row.sound_state, callId: row.sound_call_id, at: row.sound_at },
})
