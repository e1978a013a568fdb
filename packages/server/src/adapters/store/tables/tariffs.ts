import type { Selectable } from 'kysely'
import type { NewRate, Tariff, TariffRate, Tariffs } from '../../../core/ports/store/tariffs.ts'
import { flag } from '../schema/columns.ts'
import type { Db, Schema } from '../schema/index.ts'

export const tariffs = (db: Db): Tariffs => ({
  async list() {
    const rows = await db.selectFrom('tariff').selectAll().orderBy('created_at').orderBy('id').execute()
    return rows.map(toTariff)
  },

  async find(id) {
    const row = await db.selectFrom('tariff').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toTariff(row)
  },

  async insert({ id, name, currency, createdAt }) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('tariff')
      .values({ id, name, currency, created_at: createdAt })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  async findRate(tariffId, service, prefixes, at) {
    const row = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('service', '=', service)
      .where('prefix', 'in', prefixes)
      .where('valid_from', '<=', at)
      .where((eb) => eb.or([eb('valid_until', 'is', null), eb('valid_until', '>', at)]))
      .orderBy((eb) => eb.fn('length', ['prefix']), 'desc')
      .orderBy('id', 'desc') // should two ever hold at once, the newer one counts
      .executeTakeFirst()
    return row && toRate(row)
  },

  async listRates(tariffId, { after, limit, service, endingAfter }) {
    const rows = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('id', '>', after)
      .$if(service !== undefined, (query) => query.where('service', '=', service!))
      .$if(endingAfter !== undefined, (query) => query.where(holdsAfter(endingAfter!)))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toRate)
  },

  async ratesOf(tariffId, service, prefix, from) {
    const rows = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('service', '=', service)
      .where('prefix', '=', prefix)
      .where((eb) => eb.or([eb('valid_until', 'is', null), eb('valid_until', '>', from)]))
      .orderBy('id')
      .execute()
    return rows.map(toRate)
  },

  async findRateById(tariffId, rateId) {
    const row = await db.selectFrom('tariff_rate').selectAll().where('tariff_id', '=', tariffId).where('id', '=', rateId).executeTakeFirst()
    return row && toRate(row)
  },

  async insertRate(tariffId, rate) {
    const { id } = await db.insertInto('tariff_rate').values(toRow(tariffId, rate)).returning('id').executeTakeFirstOrThrow()
    return id
  },

  async endRate(tariffId, rateId, validUntil) {
    await db.updateTable('tariff_rate').set({ valid_until: validUntil }).where('tariff_id', '=', tariffId).where('id', '=', rateId).execute()
  },
})
