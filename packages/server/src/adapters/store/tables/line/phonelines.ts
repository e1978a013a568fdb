import type { Forwarding, Forwardings, Phoneline, Phonelines, ParallelForwarding } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { attachedDevices, toAttached } from './attached-devices.ts'
import { extensions } from './extensions.ts'
import { asFlag, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const line = record<Schema['phoneline'] & { alias: string }, Phoneline>()({
  ext: 'id',
  blockAnonymous: asFlag,
  busyOnBusy: asFlag,
  account_id: hidden,
})

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
    return line.all(living(db, accountId).where('phoneline.owner', '=', owner).orderBy('extension.n'))
  },

  async find(accountId, id) {
    return line.first(living(db, accountId).where('phoneline.ext', '=', id))
  },

  async update(accountId, id, change) {
    const set = line.changes(change)
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

const forwarding = record<Schema['forwarding'], Forwarding>()({
  timeout_s: 'timeout',
  active: asFlag,
  account_id: hidden,
  endpoint: hidden,
  position: hidden,
})
const parallelForwarding = record<Schema['parallel_forwarding'], ParallelForwarding>()({
  active: asFlag,
  account_id: hidden,
  phoneline: hidden,
})

const forwardings = (db: Db): Forwardings => ({
  async listForwardings(accountId, phoneline) {
    const query = db.selectFrom('forwarding').selectAll().where('account_id', '=', accountId).where('endpoint', '=', phoneline)
    return forwarding.all(query.orderBy('position'))
  },

  async replaceForwardings(accountId, phoneline, list) {
    await db.deleteFrom('forwarding').where('account_id', '=', accountId).where('endpoint', '=', phoneline).execute()
    if (list.length === 0) return
    const rows = list.map(({ destination, timeout, active }, position) => ({
      account_id: accountId,
      endpoint: phoneline,
      position,
      ...forwarding.columns({ destination, timeout, active }),
    }))
    await db.insertInto('forwarding').values(rows).execute()
  },

  async listParallelForwardings(accountId, phoneline) {
    return parallelForwarding.all(parallel(db, accountId, phoneline).orderBy('id'))
  },

  async findParallelForwarding(accountId, phoneline, id) {
    return parallelForwarding.first(parallel(db, accountId, phoneline).where('id', '=', id))
  },

  async insertParallelForwarding(accountId, phoneline, { alias, destination, active }) {
    const { id } = await db
      .insertInto('parallel_forwarding')
      .values({ account_id: accountId, phoneline, ...parallelForwarding.columns({ alias, destination, active }) })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async updateParallelForwarding(accountId, phoneline, { id, alias, destination, active }) {
    await db
      .updateTable('parallel_forwarding')
      .set(parallelForwarding.columns({ alias, destination, active }))
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
