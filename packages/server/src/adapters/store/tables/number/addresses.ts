import type { Address, Addresses } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const address = record<Schema['address'], Address>()({ account_id: hidden, updated_at: hidden })

export const addresses = (db: Db, dialect: Dialect): Addresses => ({
  async list(accountId) {
    return address.all(db.selectFrom('address').selectAll().where('account_id', '=', accountId).orderBy('id'))
  },

  async find(accountId, id) {
    return address.first(one(db, accountId, id))
  },

  async lock(accountId, id) {
    return address.first(one(db, accountId, id).$if(dialect === 'postgres', (query) => query.forUpdate()))
  },

  async insert(accountId, input, at) {
    const { id } = await db
      .insertInto('address')
      .values({ account_id: accountId, ...address.columns(input), updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(accountId, changed, at) {
    return hasEffect(
      db
        .updateTable('address')
        .set({ ...address.columns(changed), updated_at: at })
        .where('account_id', '=', accountId)
        .where('id', '=', changed.id),
    )
  },
})

const one = (db: Db, accountId: string, id: number) =>
  db.selectFrom('address').selectAll().where('account_id', '=', accountId).where('id', '=', id)
