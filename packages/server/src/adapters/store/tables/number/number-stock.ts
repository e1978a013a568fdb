import type { NumberStock, StockNumber, StockSearch } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const stockNumber = record<Schema['stock_number'], StockNumber>()({ added_at: hidden })

export const numberStock = (db: Db, dialect: Dialect): NumberStock => ({
  async add({ id, e164, country, area, price }, at) {
    return hasEffect(
      db
        .insertInto('stock_number')
        .values({ id, e164, country, area, price, number_id: null, free_from: at, added_at: at })
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  page: (search) => stockNumber.all(searched(db, search)),

  async free(search, at) {
    return stockNumber.all(searched(db, search).where('number_id', 'is', null).where('free_from', '<=', at))
  },

  async lock(id) {
    const one = db.selectFrom('stock_number').selectAll().where('id', '=', id)
    return stockNumber.first(one.$if(dialect === 'postgres', (query) => query.forUpdate()))
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

const searched = (db: Db, { after, limit, offset = 0, country, area, digits }: StockSearch) =>
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
    .offset(offset)
