import type { NumberStock, StockNumber, StockSearch } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const toStockNumber = record<Schema['stock_number'], StockNumber>()({ added_at: hidden }).fields

export const numberStock = (db: Db, dialect: Dialect): NumberStock => ({
  async add({ id, e164, country, area, price }, at) {
    return hasEffect(
      db
        .insertInto('stock_number')
        .values({ id, e164, country, area, price, number_id: null, free_from: at, added_at: at })
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  page: async (search) => (await searched(db, search).execute()).map(toStockNumber),

  async free(search, at) {
    const rows = await searched(db, search).where('number_id', 'is', null).where('free_from', '<=', at).execute()
    return rows.map(toStockNumber)
  },

  async lock(id) {
    const row = await db
      .selectFrom('stock_number')
      .selectAll()
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toStockNumber(row)
  },

  async give(id, numberId) {
    await db.updateTable('stock_number').set({ number_id: numberId }).where('id', '=', id).execute()
  },

  async isOrdered(numberId) {
    const row = await db.selectFrom('stock_number').select('id').where('number_id', '=', numberId).executeTakeFirst()
    return row !== undefined
  },

  async takeBack(numberId, freeFrom) {
    await db.updateTable('stock_number').set({ number_id: null, free_from: freeFrom }).where('number_id', '=', numberId).execute()
  },

  async remove(id) {
    return hasEffect(db.deleteFrom('stock_number').where('id', '=', id))
  },
})

const searched = (db: Db, { after, limit, country, area, digits }: StockSearch) =>
  db
    .selectFrom('stock_number')
    .selectAll()
    .where('e164', '>', after)
    .$if(country !== undefined, (query) => query.where('country', '=', country ?? ''))
    .$if(area !== undefined, (query) => query.where('area', '=', area ?? ''))
    // Only digits, so there are no LIKE wildcards.
    .$if(digits !== undefined, (query) => query.where('e164', 'like', `%${digits ?? ''}%`))
    .orderBy('e164')
    .limit(limit)
