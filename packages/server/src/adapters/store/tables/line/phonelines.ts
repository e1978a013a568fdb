import type { Selectable } from 'kysely'
import type { Phoneline, Phonelines } from '#core/kernel/ports/store/line/phonelines.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { attachedDevices, toAttached } from './attached-devices.ts'
import { extensions } from './extensions.ts'
import { forwardings } from './forwardings.ts'

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
    const { numDeletedRows } = await db
      .deleteFrom('phoneline_device')
      .where('account_id', '=', accountId)
      .where('phoneline', '=', id)
      .where('device', '=', device)
      .executeTakeFirst()
    return numDeletedRows > 0
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
