import type { Selectable } from 'kysely'
import type { Address, Addresses } from '#core/kernel/ports/store/number/addresses.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const addresses = (db: Db, dialect: Dialect): Addresses => ({
  async list(accountId) {
    const rows = await db.selectFrom('address').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
    return rows.map(toAddress)
  },

  async find(accountId, id) {
    const row = await db.selectFrom('address').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
    return row && toAddress(row)
  },

  async lock(accountId, id) {
    const row = await db
      .selectFrom('address')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toAddress(row)
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
    const { numUpdatedRows } = await db
      .updateTable('address')
      .set({ ...columns(address), updated_at: at })
      .where('account_id', '=', accountId)
      .where('id', '=', address.id)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },
})

const columns = (address: Omit<Address, 'id'>) => ({
  po_box: address.poBox,
  extended_address: address.extendedAddress,
  street: address.street,
  house_number: address.houseNumber,
  locality: address.locality,
  region: address.region,
  postal_code: address.postalCode,
  country: address.country,
})

const toAddress = (row: Selectable<Schema['address']>): Address => ({
  id: row.id,
  poBox: row.po_box,
  extendedAddress: row.extended_address,
  street: row.street,
  houseNumber: row.house_number,
  locality: row.locality,
  region: row.region,
  postalCode: row.postal_code,
  country: row.country,
})
