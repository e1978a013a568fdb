import type { Selectable } from 'kysely'
import type { SimCard, SimOrder, SimOrderState, Sims } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

/** The same as in the index that allows one open order per device. */
const open: SimOrderState[] = ['ORDERED', 'PICKED', 'SHIPPED', 'DELIVERED']

export const sims = (db: Db, dialect: Dialect): Sims => ({
  async addCard({ iccid, imsi, puk1Sealed, puk2Sealed, holder }) {
    return hasEffect(
      db
        .insertInto('sim')
        .values({
          iccid,
          imsi: imsi ?? null,
          puk1_sealed: puk1Sealed,
          puk2_sealed: puk2Sealed,
          account_id: holder?.accountId ?? null,
          device: holder?.deviceId ?? null,
          state: 'STOCK',
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  async listCards({ after, limit, state }) {
    const rows = await db
      .selectFrom('sim')
      .selectAll()
      .where('iccid', '>', after)
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'STOCK'))
      .orderBy('iccid')
      .limit(limit)
      .execute()
    return rows.map(toCard)
  },

  async lockCard(iccid) {
    const row = await db
      .selectFrom('sim')
      .selectAll()
      .where('iccid', '=', iccid)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toCard(row)
  },

  async setCard(iccid, state, holder) {
    await db
      .updateTable('sim')
      .set({ state, account_id: holder?.accountId ?? null, device: holder?.deviceId ?? null })
      .where('iccid', '=', iccid)
      .execute()
  },

  async activeCards(accountId, deviceIds) {
    if (deviceIds.length === 0) return new Map()
    const rows = await db
      .selectFrom('sim')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('device', 'in', deviceIds)
      .where('state', '=', 'ACTIVE')
      .execute()
    return new Map(rows.map((row) => [row.device ?? '', toCard(row)]))
  },

  async insertOrder(order) {
    return hasEffect(
      db
        .insertInto('sim_order')
        .values({
          id: order.id,
          account_id: order.accountId,
          device: order.deviceId,
          address_snapshot: JSON.stringify(order.address),
          state: order.state,
          iccid: order.iccid ?? null,
          ordered_by: order.orderedBy,
          created_at: order.createdAt,
          updated_at: order.updatedAt,
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  async findOrder(accountId, id) {
    const row = await db.selectFrom('sim_order').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
    return row && toOrder(row)
  },

  async lockOrder(id) {
    const row = await db
      .selectFrom('sim_order')
      .selectAll()
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toOrder(row)
  },

  async lockOpenOrder(accountId, deviceId) {
    const row = await ofDevice(db, accountId, deviceId)
      .where('state', 'in', open)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toOrder(row)
  },

  async setOrder(id, state, iccid, at) {
    await db
      .updateTable('sim_order')
      .set({ state, iccid: iccid ?? null, updated_at: at })
      .where('id', '=', id)
      .execute()
  },

  async listOrders(accountId, deviceId) {
    const rows = await ofDevice(db, accountId, deviceId).orderBy('created_at', 'desc').orderBy('id').execute()
    return rows.map(toOrder)
  },

  async listAllOrders({ limit, after, state }) {
    const all = db.selectFrom('sim_order').selectAll()
    const last = after === undefined ? undefined : await all.where('id', '=', after).executeTakeFirst()
    if (after !== undefined && !last) return []
    const rows = await all
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'ORDERED'))
      .$if(last !== undefined, (query) =>
        query.where((eb) => {
          const { created_at = 0, id = '' } = last ?? {}
          return eb.or([eb('created_at', '>', created_at), eb.and([eb('created_at', '=', created_at), eb('id', '>', id)])])
        }),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toOrder)
  },

  async devicesWithOpenOrder(accountId, deviceIds) {
    if (deviceIds.length === 0) return new Set()
    const rows = await db
      .selectFrom('sim_order')
      .select('device')
      .where('account_id', '=', accountId)
      .where('device', 'in', deviceIds)
      .where('state', 'in', open)
      .execute()
    return new Set(rows.map((row) => row.device))
  },
})

const ofDevice = (db: Db, accountId: string, deviceId: string) =>
  db.selectFrom('sim_order').selectAll().where('account_id', '=', accountId).where('device', '=', deviceId)

const toCard = (row: Selectable<Schema['sim']>): SimCard => ({
  iccid: row.iccid,
  imsi: row.imsi ?? undefined,
  puk1Sealed: row.puk1_sealed,
  puk2Sealed: row.puk2_sealed,
  state: row.state,
  holder: row.account_id === null ? undefined : { accountId: row.account_id, ...(row.device !== null && { deviceId: row.device }) },
})

const toOrder = (row: Selectable<Schema['sim_order']>): SimOrder => ({
  id: row.id,
  accountId: row.account_id,
  deviceId: row.device,
  state: row.state,
  iccid: row.iccid ?? undefined,
  address: JSON.parse(row.address_snapshot) as SimOrder['address'],
  orderedBy: row.ordered_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
