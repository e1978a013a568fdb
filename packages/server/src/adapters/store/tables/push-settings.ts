import type { PushSettings } from '../../../core/ports/store/push-settings.ts'
import { flag } from '../schema/columns.ts'
import type { Db } from '../schema/index.ts'

export const pushSettings = (db: Db): PushSettings => ({
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
