import type { Carrier, Carriers } from '#core/kernel/ports/store/number.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const carrier = record<Schema['carrier'], Carrier>()({ created_at: hidden })

export const carriers = (db: Db): Carriers => ({
  async list() {
    return carrier.all(db.selectFrom('carrier').selectAll().orderBy('code'))
  },

  async find(code) {
    return carrier.first(db.selectFrom('carrier').selectAll().where('code', '=', code))
  },

  async insert(input, at) {
    return hasEffect(
      db
        .insertInto('carrier')
        .values({ ...carrier.columns(input), created_at: at })
        .onConflict((conflict) => conflict.column('code').doNothing()),
    )
  },

  async update(code, change) {
    // Setting the code to itself keeps the statement valid without other changes.
    const set = { code, ...carrier.changes(change) }
    return hasEffect(db.updateTable('carrier').set(set).where('code', '=', code))
  },

  async remove(code) {
    return hasEffect(db.deleteFrom('carrier').where('code', '=', code))
  },

  async recordMessage({ id, carrier: code, direction, type, at }) {
    return hasEffect(
      db
        .insertInto('carrier_message')
        .values({ id, carrier: code, direction, type, at })
        .onConflict((conflict) => conflict.columns(['carrier', 'direction', 'id']).doNothing()),
    )
  },
})
