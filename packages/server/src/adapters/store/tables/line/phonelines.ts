import type { Selectable } from 'kysely'
import type { Phoneline, Phonelines, Forwardings, ParallelForwarding } from '#core/kernel/ports/store/line.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { attachedDevices, toAttached } from './attached-devices.ts'
import { extensions } from './extensions.ts'
import { hasEffect } from '../row-counts.ts'

export const phonelines = (db: Db): Phonelines => ({
  ...forwardings(db),

  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 'p', alias, owner, at })
    await db
      .insertInto('phoneline')
      .values({
        account_id: accountId,
        ext,
        owner,
        block_anonymous: 0,
        block_anonymous_target: 'REJECT',
        busy_on_busy: 0,
        incoming_url: '',
        outgoing_url: '',
      })
      .execute()
    return ext
  },

  async list(accountId, owner) {
    const rows = await living(db, accountId).where('phoneline.owner', '=', owner).orderBy('extension.n').execute()
    return rows.map(toPhoneline)
  },

  async find(accountId, id) {
    const row = await living(db, accountId).where('phoneline.ext', '=', id).executeTakeFirst()
    return row && toPhoneline(row)
  },

  async update(accountId, id, change) {
    const set = {
      ...(change.blockAnonymous !== undefined && { block_anonymous: flag(change.blockAnonymous) }),
      ...(change.blockAnonymousTarget !== undefined && { block_anonymous_target: change.blockAnonymousTarget }),
      ...(change.busyOnBusy !== undefined && { busy_on_busy: flag(change.busyOnBusy) }),
      ...(change.incomingUrl !== undefined && { incoming_url: change.incomingUrl }),
      ...(change.outgoingUrl !== undefined && { outgoing_url: change.outgoingUrl }),
    }
    if (Object.keys(set).length === 0) return
    await db.updateTable('phoneline').set(set).where('account_id', '=', accountId).where('ext', '=', id).execute()
  },

  async remove(accountId, id, at) {
    await db.deleteFrom('phoneline_device').where('account_id', '=', accountId).where('phoneline', '=', id).execute()
    await forwardings(db).removeForwardings(accountId, id)
    await extensions(db).remove(accountId, id, at)
  },

  async devices(accountId, id) {
    const rows = await attachedDevices(db, accountId)
      .innerJoin('phoneline_device as attached', (join) =>
        join.onRef('attached.account_id', '=', 'device.account_id').onRef('attached.device', '=', 'device.ext'),
      )
      .where('attached.phoneline', '=', id)
      .execute()
    return rows.map(toAttached)
  },

  async addDevice(accountId, id, device) {
    await db
      .insertInto('phoneline_device')
      .values({ account_id: accountId, phoneline: id, device })
      .onConflict((conflict) => conflict.columns(['account_id', 'phoneline', 'device']).doNothing())
      .execute()
  },

  async removeDevice(accountId, id, device) {
    return hasEffect(
      db.deleteFrom('phoneline_device').where('account_id', '=', accountId).where('phoneline', '=', id).where('device', '=', device),
    )
  },
})

const living = (db: Db, accountId: string) =>
  db
    .selectFrom('phoneline')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'phoneline.account_id').onRef('extension.ext', '=', 'phoneline.ext'),
    )
    .selectAll('phoneline')
    .select('extension.alias')
    .where('phoneline.account_id', '=', accountId)
    .where('extension.deleted_at', 'is', null)

const toPhoneline = (row: Selectable<Schema['phoneline']> & { alias: string }): Phoneline => ({
  id: row.ext,
  alias: row.alias,
  owner: row.owner,
  blockAnonymous: row.block_anonymous === 1,
  blockAnonymousTarget: row.block_anonymous_target,
  busyOnBusy: row.busy_on_busy === 1,
  incomingUrl: row.incoming_url,
  outgoingUrl: row.outgoing_url,
})

const forwardings = (db: Db): Forwardings => ({
  async listForwardings(accountId, phoneline) {
    const rows = await db
      .selectFrom('forwarding')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('endpoint', '=', phoneline)
      .orderBy('position')
      .execute()
    return rows.map((row) => ({ destination: row.destination, timeout: row.timeout_s, active: row.active === 1 }))
  },

  async replaceForwardings(accountId, phoneline, list) {
    await db.deleteFrom('forwarding').where('account_id', '=', accountId).where('endpoint', '=', phoneline).execute()
    if (list.length === 0) return
    const rows = list.map(({ destination, timeout, active }, position) => ({
      account_id: accountId,
      endpoint: phoneline,
      position,
      destination,
      timeout_s: timeout,
      active: flag(active),
    }))
    await db.insertInto('forwarding').values(rows).execute()
  },

  async listParallelForwardings(accountId, phoneline) {
    const rows = await parallel(db, accountId, phoneline).orderBy('id').execute()
    return rows.map(toParallelForwarding)
  },

  async findParallelForwarding(accountId, phoneline, id) {
    const row = await parallel(db, accountId, phoneline).where('id', '=', id).executeTakeFirst()
    return row && toParallelForwarding(row)
  },

  async insertParallelForwarding(accountId, phoneline, { alias, destination, active }) {
    const { id } = await db
      .insertInto('parallel_forwarding')
      .values({ account_id: accountId, phoneline, alias, destination, active: flag(active) })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async updateParallelForwarding(accountId, phoneline, { id, alias, destination, active }) {
    await db
      .updateTable('parallel_forwarding')
      .set({ alias, destination, active: flag(active) })
      .where('account_id', '=', accountId)
      .where('phoneline', '=', phoneline)
      .where('id', '=', id)
      .execute()
  },

  async removeParallelForwarding(accountId, phoneline, id) {
    return hasEffect(
      db.deleteFrom('parallel_forwarding').where('account_id', '=', accountId).where('phoneline', '=', phoneline).where('id', '=', id),
    )
  },

  async removeForwardings(accountId, phoneline) {
    await db.deleteFrom('forwarding').where('account_id', '=', accountId).where('endpoint', '=', phoneline).execute()
    await db.deleteFrom('parallel_forwarding').where('account_id', '=', accountId).where('phoneline', '=', phoneline).execute()
  },

  async forwardedFrom(accountId, destination) {
    const rows = await db
      .selectFrom('forwarding')
      .select('endpoint as line')
      .where('account_id', '=', accountId)
      .where('destination', '=', destination)
      .union(
        db
          .selectFrom('parallel_forwarding')
          .select('phoneline as line')
          .where('account_id', '=', accountId)
          .where('destination', '=', destination),
      )
      .execute()
    return rows.map((row) => row.line).filter((line) => line !== destination)
  },
})

const parallel = (db: Db, accountId: string, phoneline: string) =>
  db.selectFrom('parallel_forwarding').selectAll().where('account_id', '=', accountId).where('phoneline', '=', phoneline)

const toParallelForwarding = (row: Selectable<Schema['parallel_forwarding']>): ParallelForwarding => ({
  id: row.id,
  alias: row.alias,
  destination: row.destination,
  active: row.active === 1,
})
