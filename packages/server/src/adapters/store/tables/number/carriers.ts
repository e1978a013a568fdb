import type { Carrier, Carriers } from '#core/kernel/ports/store/number.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'

const toCarrier = record<Schema['carrier'], Carrier>({ created_at: hidden }).fields

export const carriers = (db: Db): Carriers => ({
  async list() {
    const rows = await db.selectFrom('carrier').selectAll().orderBy('code').execute()
    return rows.map(toCarrier)
  },

  async find(code) {
    const row = await db.selectFrom('carrier').selectAll().where('code', '=', code).executeTakeFirst()
    return row && toCarrier(row)
  },

  async insert({ code, name, url, secretSealed }, at) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('carrier')
      .values({ code, name, url, secret_sealed: secretSealed, created_at: at })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  async update(code, { name, url, secretSealed }) {
    const set = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(secretSealed !== undefined && { secret_sealed: secretSealed }),
    }
    // Setting the code to itself keeps the statement valid without other changes.
    const { numUpdatedRows } = await db
      .updateTable('carrier')
      .set({ code, ...set })
      .where('code', '=', code)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async remove(code) {
    const { numDeletedRows } = await db.deleteFrom('carrier').where('code', '=', code).executeTakeFirst()
    return numDeletedRows > 0
  },

  async recordMessage({ id, carrier, direction, type, at }) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('carrier_message')
      .values({ id, carrier, direction, type, at })
      .onConflict((conflict) => conflict.columns(['carrier', 'direction', 'id']).doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },
})
