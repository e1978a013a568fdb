import type { PushSettings } from '#core/kernel/ports/store/push/push-settings.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db } from '#adapters/store/schema/index.ts'

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
