import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import type { NewRate, Service, Tariff, TariffRate, Tariffs } from '#core/kernel/ports/store/money.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const tariffs = (db: Db, dialect: Dialect): Tariffs => ({
  async list() {
    const rows = await db.selectFrom('tariff').selectAll().orderBy('created_at').orderBy('id').execute()
    return rows.map(toTariff)
  },

  async find(id) {
    const row = await db.selectFrom('tariff').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toTariff(row)
  },

  async lock(id) {
    const row = await db
      .selectFrom('tariff')
      .selectAll()
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toTariff(row)
  },

  async insert({ id, name, currency, createdAt }) {
    return hasEffect(
      db
        .insertInto('tariff')
        .values({ id, name, currency, created_at: createdAt })
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
    return row && toRate(row)
  },

  async listRates(tariffId, { after, limit, service, endingAfter }) {
    const rows = await db
      .selectFrom('tariff_rate')
      .selectAll()
      .where('tariff_id', '=', tariffId)
      .where('id', '>', after)
      .$if(service !== undefined, (query) => query.where('service', '=', service as Service))
      .$if(endingAfter !== undefined, (query) => query.where(holdsAfter(endingAfter ?? 0)))
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
      .where(holdsAfter(from))
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

const toTariff = ({ id, name, currency, created_at }: Schema['tariff']): Tariff => ({ id, name, currency, createdAt: created_at })

const toRow = (tariffId: string, rate: NewRate): Insertable<Schema['tariff_rate']> => ({
  tariff_id: tariffId,
  service: rate.service,
  prefix: rate.prefix,
  blocked: flag(rate.blocked),
  connect_fee: rate.connectFee,
  rate_per_minute: rate.ratePerMinute,
  min_seconds: rate.minSeconds,
  increment_seconds: rate.incrementSeconds,
  per_unit: rate.perUnit,
  valid_from: rate.validFrom,
  valid_until: rate.validUntil ?? null,
})

const toRate = (row: Selectable<Schema['tariff_rate']>): TariffRate => ({
  id: row.id,
  service: row.service,
  prefix: row.prefix,
  blocked: row.blocked === 1,
  connectFee: row.connect_fee,
  ratePerMinute: row.rate_per_minute,
  minSeconds: row.min_seconds,
  incrementSeconds: row.increment_seconds,
  perUnit: row.per_unit,
  validFrom: row.valid_from,
  validUntil: row.valid_until ?? undefined,
})
