import type { Selectable } from 'kysely'
import type { SimCard, SimHolder, SimOrder, SimOrderState, Sims } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asJson, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const card = record<Schema['sim'], Omit<SimCard, 'holder'>>()({ account_id: hidden, device: hidden })
const simOrder = record<Schema['sim_order'], SimOrder>()({
  device: 'deviceId',
  address_snapshot: 'address',
  address: asJson<SimOrder['address']>(),
})

/** The same as in the index that allows one open order per device. */
const open: SimOrderState[] = ['ORDERED', 'PICKED', 'SHIPPED', 'DELIVERED']

export const sims = (db: Db, dialect: Dialect): Sims => ({
  async addCard({ holder, ...known }) {
    const values = { ...card.columns({ ...known, state: 'STOCK' }), ...holderColumns(holder) }
    return hasEffect(
      db
        .insertInto('sim')
        .values(values)
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  async listCards({ after, limit, offset = 0, state }) {
    const rows = await db
      .selectFrom('sim')
      .selectAll()
      .where('iccid', '>', after)
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'STOCK'))
      .orderBy('iccid')
      .limit(limit)
      .offset(offset)
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
      .set({ state, ...holderColumns(holder) })
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

  async insertOrder(input) {
    return hasEffect(
      db
        .insertInto('sim_order')
        .values(simOrder.columns(input))
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  async findOrder(accountId, id) {
    return simOrder.first(db.selectFrom('sim_order').selectAll().where('account_id', '=', accountId).where('id', '=', id))
  },

  async lockOrder(id) {
    const one = db.selectFrom('sim_order').selectAll().where('id', '=', id)
    return simOrder.first(one.$if(dialect === 'postgres', (query) => query.forUpdate()))
  },

  async lockOpenOrder(accountId, deviceId) {
    const one = ofDevice(db, accountId, deviceId).where('state', 'in', open)
    return simOrder.first(one.$if(dialect === 'postgres', (query) => query.forUpdate()))
  },

  async setOrder(id, state, iccid, at) {
    await db
      .updateTable('sim_order')
      .set({ state, iccid: iccid ?? null, updated_at: at })
      .where('id', '=', id)
      .execute()
  },

  async listOrders(accountId, deviceId) {
    return simOrder.all(ofDevice(db, accountId, deviceId).orderBy('created_at', 'desc').orderBy('id'))
  },

  async listAllOrders({ limit, offset = 0, after, state }) {
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
      .offset(offset)
      .execute()
    return rows.map(simOrder.fields)
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

const holderColumns = (holder: SimHolder | undefined) => ({ account_id: holder?.accountId ?? null, device: holder?.deviceId ?? null })

const toCard = (row: Selectable<Schema['sim']>): SimCard => ({
  ...card.fields(row),
  holder: row.account_id === null ? undefined : { accountId: row.account_id, ...(row.device !== null && { deviceId: row.device }) },
})
