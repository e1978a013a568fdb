import type { Address, Addresses } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const { columns, fields } = record<Schema['address'], Address>()({ account_id: hidden, updated_at: hidden })

export const addresses = (db: Db, dialect: Dialect): Addresses => ({
  async list(accountId) {
    const rows = await db.selectFrom('address').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
    return rows.map(fields)
  },

  async find(accountId, id) {
    const row = await db.selectFrom('address').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
    return row && fields(row)
  },

  async lock(accountId, id) {
    const row = await db
      .selectFrom('address')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && fields(row)
  },

  async insert(accountId, address, at) {
    const { id } = await db
      .insertInto('address')
      .values({ account_id: accountId, ...columns(address), updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(accountId, address, at) {
    return hasEffect(
      db
        .updateTable('address')
        .set({ ...columns(address), updated_at: at })
        .where('account_id', '=', accountId)
        .where('id', '=', address.id),
    )
  },
})
