import type { ExpressionBuilder } from 'kysely'
import type { Service, Tariff, TariffRate, Tariffs } from '#core/kernel/ports/store/money.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const tariff = record<Schema['tariff'], Tariff>()({})
const rate = record<Schema['tariff_rate'], TariffRate>()({ blocked: asFlag, tariff_id: hidden })

export const tariffs = (db: Db, dialect: Dialect): Tariffs => ({
  async list() {
    return tariff.all(db.selectFrom('tariff').selectAll().orderBy('created_at').orderBy('id'))
  },

  async find(id) {
    return tariff.first(db.selectFrom('tariff').selectAll().where('id', '=', id))
  },

  async lock(id) {
    const one = db.selectFrom('tariff').selectAll().where('id', '=', id)
    return tariff.first(one.$if(dialect === 'postgres', (query) => query.forUpdate()))
  },

  async insert(input) {
    return hasEffect(
      db
        .insertInto('tariff')
        .values(tariff.columns(input))
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
  },

  async findRate(tariffId, service, prefixes, at) {
    const row = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('service', '=', service)
      .where('prefix', 'in', prefixes)
      .where('valid_from', '<=', at)
      .where(holdsAfter(at))
      .orderBy((eb) => eb.fn('length', ['prefix']), 'desc')
      .orderBy('id', 'desc') // if two are ever valid at the same time, the newer one counts
      .executeTakeFirst()
    return row && rate.fields(row)
  },

  async listRates(tariffId, { after, limit, offset = 0, service, endingAfter }) {
    const rows = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('id', '>', after)
      .$if(service !== undefined, (query) => query.where('service', '=', service as Service))
      .$if(endingAfter !== undefined, (query) => query.where(holdsAfter(endingAfter ?? 0)))
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute()
    return rows.map(rate.fields)
  },

  async ratesOf(tariffId, service, prefix, from) {
    const rows = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('service', '=', service)
      .where('prefix', '=', prefix)
      .where(holdsAfter(from))
      .orderBy('id')
      .execute()
    return rows.map(rate.fields)
  },

  async findRateById(tariffId, rateId) {
    return rate.first(db.selectFrom('tariff_rate').selectAll().where('tariff_id', '=', tariffId).where('id', '=', rateId))
  },

  async insertRate(tariffId, input) {
    const values = { tariff_id: tariffId, ...rate.columns(input) }
    const { id } = await db.insertInto('tariff_rate').values(values).returning('id').executeTakeFirstOrThrow()
    return id
  },

  async endRate(tariffId, rateId, validUntil) {
    await db
      .updateTable('tariff_rate')
      .set({ valid_until: validUntil })
      .where('tariff_id', '=', tariffId)
      .where('id', '=', rateId)
      .execute()
  },
})

/** A rate cancelled before its start is never valid. */
const holdsAfter = (at: number) => (eb: ExpressionBuilder<Schema, 'tariff_rate'>) =>
  eb.or([eb('valid_until', 'is', null), eb.and([eb('valid_until', '>', at), eb('valid_until', '>', eb.ref('valid_from'))])])
