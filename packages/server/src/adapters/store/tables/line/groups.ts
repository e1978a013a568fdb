import type { Group, Groups } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { attachedDevices, toAttached } from './attached-devices.ts'
import { extensions } from './extensions.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const group = record<Schema['hunt_group'] & { alias: string }, Group>()({ ext: 'id', account_id: hidden })

export const groups = (db: Db): Groups => ({
  async create(accountId, { alias, strategy, ringSeconds, departmentId, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'g', alias, at })
    await db
      .insertInto('hunt_group')
      .values({ account_id: accountId, ext, department_id: departmentId ?? null, strategy, ring_seconds: ringSeconds })
      .execute()
    return ext
  },

  async list(accountId) {
    return group.all(living(db, accountId).orderBy('extension.n'))
  },

  async listByMember(accountId, userId) {
    const joined = living(db, accountId).innerJoin('group_user', (join) =>
      join.onRef('group_user.account_id', '=', 'hunt_group.account_id').onRef('group_user.hunt_group', '=', 'hunt_group.ext'),
    )
    return group.all(joined.where('group_user.user_ext', '=', userId).orderBy('extension.n'))
  },

  async find(accountId, id) {
    return group.first(living(db, accountId).where('hunt_group.ext', '=', id))
  },

  async update(accountId, id, { strategy, ringSeconds, departmentId }) {
    const set = group.changes({ strategy, ringSeconds, departmentId })
    if (Object.keys(set).length === 0) return
    await db.updateTable('hunt_group').set(set).where('account_id', '=', accountId).where('ext', '=', id).execute()
  },

  async remove(accountId, id, at) {
    await db.deleteFrom('group_device').where('account_id', '=', accountId).where('hunt_group', '=', id).execute()
    await db.deleteFrom('group_user').where('account_id', '=', accountId).where('hunt_group', '=', id).execute()
    await extensions(db).remove(accountId, id, at)
  },

  async members(accountId, id) {
    const rows = await db
      .selectFrom('group_user')
      .innerJoin('app_user', (join) =>
        join.onRef('app_user.account_id', '=', 'group_user.account_id').onRef('app_user.ext', '=', 'group_user.user_ext'),
      )
      .select('group_user.user_ext')
      .where('group_user.account_id', '=', accountId)
      .where('group_user.hunt_group', '=', id)
      .where('app_user.disabled_at', 'is', null)
      .where('app_user.inactive_at', 'is', null)
      .orderBy('group_user.position')
      .execute()
    return rows.map((row) => row.user_ext)
  },

  async replaceMembers(accountId, id, userIds) {
    await db.deleteFrom('group_user').where('account_id', '=', accountId).where('hunt_group', '=', id).execute()
    if (userIds.length === 0) return
    const rows = userIds.map((userId, position) => ({ account_id: accountId, hunt_group: id, user_ext: userId, position }))
    await db.insertInto('group_user').values(rows).execute()
  },

  async removeMember(accountId, userId) {
    await db.deleteFrom('group_user').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },

  async devices(accountId, id) {
    const rows = await attachedDevices(db, accountId)
      .innerJoin('group_device as attached', (join) =>
        join.onRef('attached.account_id', '=', 'device.account_id').onRef('attached.device', '=', 'device.ext'),
      )
      .where('attached.hunt_group', '=', id)
      .execute()
    return rows.map(toAttached)
  },

  async addDevice(accountId, id, device) {
    await db
      .insertInto('group_device')
      .values({ account_id: accountId, hunt_group: id, device })
      .onConflict((conflict) => conflict.columns(['account_id', 'hunt_group', 'device']).doNothing())
      .execute()
  },

  async removeDevice(accountId, id, device) {
    return hasEffect(
      db.deleteFrom('group_device').where('account_id', '=', accountId).where('hunt_group', '=', id).where('device', '=', device),
    )
  },

  async removeDevicesOf(accountId, id, userId) {
    await db
      .deleteFrom('group_device')
      .where('account_id', '=', accountId)
      .where('hunt_group', '=', id)
      .where('device', 'in', (eb) => eb.selectFrom('device').select('ext').where('account_id', '=', accountId).where('owner', '=', userId))
      .execute()
  },
})

const living = (db: Db, accountId: string) =>
  db
    .selectFrom('hunt_group')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'hunt_group.account_id').onRef('extension.ext', '=', 'hunt_group.ext'),
    )
    .selectAll('hunt_group')
    .select('extension.alias')
    .where('hunt_group.account_id', '=', accountId)
    .where('extension.deleted_at', 'is', null)
