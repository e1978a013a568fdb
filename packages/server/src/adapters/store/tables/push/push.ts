import { sql } from 'kysely'
import type { PushExchange, PushExchanges, PushSecret, PushSecrets, PushSetting, PushSettings } from '#core/kernel/ports/store/push.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const secret = record<Schema['push_secret'], PushSecret>()({ account_id: hidden })
const setting = record<Schema['push_settings'], PushSetting>()({ log: asFlag, whitelist: asJson<string[]>(), account_id: hidden })
const exchange = record<Schema['push_exchange'], PushExchange>()({})

export const pushSecrets = (db: Db): PushSecrets => ({
  async list(accountId) {
    const ofAccount = db.selectFrom('push_secret').selectAll().where('account_id', '=', accountId)
    return secret.all(ofAccount.orderBy('created_at', 'desc').orderBy('id'))
  },

  async insert(accountId, input) {
    const row = { account_id: accountId, ...secret.columns(input) }
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
    return setting.first(db.selectFrom('push_settings').selectAll().where('account_id', '=', accountId))
  },

  async save(accountId, { incomingUrl, outgoingUrl, log, whitelist, format }) {
    const columns = setting.columns({ incomingUrl, outgoingUrl, log, whitelist, format })
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

  async list(accountId, { line, limit, offset = 0 }) {
    let query = db.selectFrom('push_exchange').selectAll().where('account_id', '=', accountId)
    if (line !== undefined) query = query.where('line', '=', line)
    return exchange.all(query.orderBy('id', 'desc').limit(limit).offset(offset))
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
