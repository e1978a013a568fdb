import { sql, type Insertable, type Selectable } from 'kysely'
import type { PushExchange, PushExchanges } from '#core/kernel/ports/store/push/push-exchanges.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const pushExchanges = (db: Db): PushExchanges => ({
  async insert(exchanges) {
    if (exchanges.length > 0) await db.insertInto('push_exchange').values(exchanges.map(toRow)).execute()
  },

  async list(accountId, { line, limit }) {
    let query = db.selectFrom('push_exchange').selectAll().where('account_id', '=', accountId)
    if (line !== undefined) query = query.where('line', '=', line)
    return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toExchange)
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

const toRow = (exchange: PushExchange): Insertable<Schema['push_exchange']> => ({
  id: exchange.id,
  account_id: exchange.accountId,
  line: exchange.line ?? null,
  event: exchange.event,
  call_id: exchange.callId,
  at: exchange.at,
  url: exchange.url,
  request: exchange.request,
  response: exchange.response,
  xml_error: exchange.xmlError ?? null,
  status: exchange.status ?? null,
})

const toExchange = (row: Selectable<Schema['push_exchange']>): PushExchange => ({
  id: row.id,
  accountId: row.account_id,
  line: row.line ?? undefined,
  event: row.event,
  callId: row.call_id,
  at: row.at,
  url: row.url,
  request: row.request,
  response: row.response,
  xmlError: row.xml_error ?? undefined,
  status: row.status ?? undefined,
})
