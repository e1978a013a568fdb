import type { Carrier, Carriers } from '#core/kernel/ports/store/number.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const toCarrier = record<Schema['carrier'], Carrier>()({ created_at: hidden }).fields

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
    return hasEffect(
      db
        .insertInto('carrier')
        .values({ code, name, url, secret_sealed: secretSealed, created_at: at })
        .onConflict((conflict) => conflict.column('code').doNothing()),
    )
  },

  async update(code, { name, url, secretSealed }) {
    const set = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(secretSealed !== undefined && { secret_sealed: secretSealed }),
    }
    // Setting the code to itself keeps the statement valid without other changes.
    return hasEffect(
      db
        .updateTable('carrier')
        .set({ code, ...set })
        .where('code', '=', code),
    )
  },

  async remove(code) {
    return hasEffect(db.deleteFrom('carrier').where('code', '=', code))
  },

  async recordMessage({ id, carrier, direction, type, at }) {
    return hasEffect(
      db
        .insertInto('carrier_message')
        .values({ id, carrier, direction, type, at })
        .onConflict((conflict) => conflict.columns(['carrier', 'direction', 'id']).doNothing()),
    )
  },
})
