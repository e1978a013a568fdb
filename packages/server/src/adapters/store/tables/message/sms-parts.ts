import { sql } from 'kysely'
import type { ReceiptState, SmsReceipt } from '#core/kernel/ports/sms-routes.ts'
import type { Messages, TakenPart } from '#core/kernel/ports/store/message/messages.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'

type Parts = Pick<Messages, 'lockRouteId' | 'insertPart' | 'setPartState' | 'parts' | 'openParts'>
type EarlyReceipts = Pick<Messages, 'keepEarlyReceipt' | 'takeEarlyReceipt' | 'removeEarlyReceiptsBefore'>

export const smsParts = (db: Db, dialect: Dialect): Parts & EarlyReceipts => ({ ...parts(db, dialect), ...earlyReceipts(db) })

/** States without a final outcome. */
const open: ReceiptState = 'ENROUTE'

const parts = (db: Db, dialect: Dialect): Parts => ({
  async lockRouteId(route, routeId) {
    // There may be no row yet, so the name is locked until the transaction ends.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${`sms:${route}:${routeId}`}, 0))`.execute(db)
  },

  async insertPart({ accountId, id, number, route, routeId, state }) {
    await db
      .insertInto('sms_part')
      .values({ account_id: accountId, id, number, route, route_id: routeId, state })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  async setPartState({ accountId, id, number }, state) {
    await db
      .updateTable('sms_part')
      .set({ state })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('number', '=', number)
      .execute()
  },

  async parts(accountId, id) {
    const rows = await db
      .selectFrom('sms_part')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .orderBy('number')
      .execute()
    return rows.map(toPart)
  },

  async openParts(route, routeId) {
    const rows = await db
      .selectFrom('sms_part')
      .innerJoin('sms', (join) => join.onRef('sms.account_id', '=', 'sms_part.account_id').onRef('sms.id', '=', 'sms_part.id'))
      .selectAll('sms_part')
      .select('sms.recipient')
      .where('sms_part.route', '=', route)
      .where('sms_part.route_id', '=', routeId)
      .where('sms_part.state', '=', open)
      .orderBy('sms.created_at')
      .orderBy('sms.id')
      .orderBy('sms_part.number')
      .execute()
    return rows.map((row) => ({ ...toPart(row), recipient: row.recipient }))
  },
})

interface PartRow {
  account_id: string
  id: string
  number: number
  route: string
  route_id: string
  state: ReceiptState
}

const toPart = ({ account_id, id, number, route, route_id, state }: PartRow): TakenPart => ({
  accountId: account_id,
  id,
  number,
  route,
  routeId: route_id,
  state,
})

const earlyReceipts = (db: Db): EarlyReceipts => ({
  async keepEarlyReceipt(route, { id, state, error, recipient = '' }, at) {
    const news = { state, error, at }
    await db
      .insertInto('sms_early_receipt')
      .values({ route, route_id: id, recipient, ...news })
      .onConflict((conflict) => conflict.columns(['route', 'route_id', 'recipient']).doUpdateSet(news))
      .execute()
  },

  async takeEarlyReceipt(route, routeId, recipient, since) {
    const rows = await db
      .deleteFrom('sms_early_receipt')
      .where('route', '=', route)
      .where('route_id', '=', routeId)
      .where('recipient', 'in', ['', recipient])
      .returningAll()
      .execute()
    const row = rows.find(({ at }) => at >= since)
    const receipt: SmsReceipt | undefined = row && { id: routeId, state: row.state, error: row.error }
    return receipt
  },

  async removeEarlyReceiptsBefore(at) {
    const { numDeletedRows } = await db.deleteFrom('sms_early_receipt').where('at', '<', at).executeTakeFirst()
    return Number(numDeletedRows)
  },
})
