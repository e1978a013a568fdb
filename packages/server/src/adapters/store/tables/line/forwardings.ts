import type { Selectable } from 'kysely'
import type { Forwardings, ParallelForwarding } from '#core/kernel/ports/store/line/phonelines.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const forwardings = (db: Db): Forwardings => ({
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
    const { numDeletedRows } = await db
      .deleteFrom('parallel_forwarding')
      .where('account_id', '=', accountId)
      .where('phoneline', '=', phoneline)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows > 0
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
