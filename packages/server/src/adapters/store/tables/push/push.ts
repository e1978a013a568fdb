import { sql } from 'kysely'
import type { PushSecrets, PushSettings, PushExchange, PushExchanges } from '#core/kernel/ports/store/push.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import { record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const exchange = record<Schema['push_exchange'], PushExchange>()({})

export const pushSecrets = (db: Db): PushSecrets => ({
  async list(accountId) {
    const rows = await db
      .selectFrom('push_secret')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
    return rows.map(({ id, sealed, created_at, expires_at }) => ({ id, sealed, createdAt: created_at, expiresAt: expires_at ?? undefined }))
  },

  async insert(accountId, { id, sealed, createdAt, expiresAt }) {
    const row = { account_id: accountId, id, sealed, created_at: createdAt, expires_at: expiresAt ?? null }
    await db.insertInto('push_secret').values(row).execute()
  },

  async expireAll(accountId, expiresAt) {
    await db
      .updateTable('push_secret')
      .set({ expires_at: expiresAt })
      .where('account_id', '=', accountId)
      .where('expires_at', 'is', null)
      .execute()
  },

  async remove(accountId, id) {
    return hasEffect(db.deleteFrom('push_secret').where('account_id', '=', accountId).where('id', '=', id))
  },
})

export const pushSettings = (db: Db): PushSettings => ({
  hasAddress: addressSeeker(db),

  async find(accountId) {
    const row = await db.selectFrom('push_settings').selectAll().where('account_id', '=', accountId).executeTakeFirst()
    if (!row) return undefined
    const whitelist = row.whitelist === null ? undefined : (JSON.parse(row.whitelist) as string[])
    return { incomingUrl: row.incoming_url, outgoingUrl: row.outgoing_url, log: row.log === 1, whitelist }
  },

  async save(accountId, { incomingUrl, outgoingUrl, log, whitelist }) {
    const columns = {
      incoming_url: incomingUrl,
      outgoing_url: outgoingUrl,
      log: flag(log),
      whitelist: whitelist === undefined ? null : JSON.stringify(whitelist),
    }
    await db
      .insertInto('push_settings')
      .values({ account_id: accountId, ...columns })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
      .execute()
  },
})

/** Read for every call; most accounts have no URL and have not booked the feature. */
const addressSeeker = (db: Db): PushSettings['hasAddress'] => {
  const finder = (column: 'incoming_url' | 'outgoing_url') =>
    hotRow(db, (accountId: string) =>
      db
        .selectFrom('account_feature')
        .select('feature')
        .where('account_id', '=', accountId)
        .where('feature', '=', 'SVCIO')
        .where((where) => {
          const isIn = (table: 'push_settings' | 'phoneline') =>
            where.exists(where.selectFrom(table).select('account_id').where('account_id', '=', accountId).where(column, '<>', ''))
          return where.or([isIn('push_settings'), isIn('phoneline')])
        }),
    )
  const find = { in: finder('incoming_url'), out: finder('outgoing_url') }
  return async (accountId, direction) => (await find[direction](accountId)) !== undefined
}

export const pushExchanges = (db: Db): PushExchanges => ({
  async insert(exchanges) {
    if (exchanges.length > 0) await db.insertInto('push_exchange').values(exchanges.map(exchange.columns)).execute()
  },

  async list(accountId, { line, limit }) {
    let query = db.selectFrom('push_exchange').selectAll().where('account_id', '=', accountId)
    if (line !== undefined) query = query.where('line', '=', line)
    return (await query.orderBy('id', 'desc').limit(limit).execute()).map(exchange.fields)
  },

  async sweep(at, kept) {
    const { numDeletedRows } = await db.deleteFrom('push_exchange').where('at', '<', at).executeTakeFirst()
    const { numAffectedRows = 0n } = await sql`
      delete from push_exchange where id in (select id from
        (select id, row_number() over (partition by account_id order by id desc) as place from push_exchange) as ranked where place > ${kept})`.execute(
      db,
    )
    return Number(numDeletedRows + numAffectedRows)
  },
})
