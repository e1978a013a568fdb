import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import { maxRecorded, type Deliveries, type Delivery, type ActionProblem } from '#core/kernel/ports/store/session.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Json } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { firstIdAt } from '#core/kernel/work/rising-ids.ts'
import { dropPartsBefore } from '../operate/partitions.ts'
import { affectedRows } from '../row-counts.ts'

export const deliveries = (db: Db, dialect: Dialect): Deliveries => {
  const insertRow = hotInsert(db, 'delivery')
  const latestOf = hotRow(db, (eventId: string) =>
    db.selectFrom('delivery').select(['id', 'actions', 'problems']).where('event_id', '=', eventId).orderBy('id', 'desc').limit(1),
  )
  return {
    async insert(list) {
      if (list.length === 0) return
      const rows = list.map(toRow)
      if (dialect === 'sqlite') for (const row of rows) await insertRow(row)
      else
        await db
          .insertInto('delivery')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute() // one round trip
    },

    async list(accountId, flowId, { sessionId, state, before, limit, offset = 0 }) {
      let query = db.selectFrom('delivery').selectAll().where('flow_id', '=', flowId).where('account_id', '=', accountId)
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
      if (state !== undefined) query = query.where('state', '=', state)
      // The same condition as the partial index over undelivered entries, so that it is used.
      if (state !== undefined && state !== 'delivered') query = query.where(sql<boolean>`state <> 'delivered'`)
      if (before !== undefined) query = query.where('id', '<', before)
      return (await query.orderBy('id', 'desc').limit(limit).offset(offset).execute()).map(toDelivery)
    },

    async latest(accountId, flowIds) {
      const found = new Map<string, Delivery>()
      for (let from = 0; from < flowIds.length; from += concurrentFlows) {
        const parts = flowIds.slice(from, from + concurrentFlows).flatMap((flowId) => latestParts(accountId, flowId))
        const { rows } = await sql<Selectable<Schema['delivery']>>`${sql.join(parts, sql` union all `)}`.execute(db)
        for (const row of rows) found.set(row.id, toDelivery(row))
      }
      return [...found.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1))
    },

    async find(accountId, flowId, id) {
      const row = await db
        .selectFrom('delivery')
        .selectAll()
        .where('id', '=', id)
        .where('flow_id', '=', flowId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row && toDelivery(row)
    },

    async firstFailure(accountId, flowId, after = '') {
      const row = await db
        .selectFrom('delivery')
        .select('at')
        .where('flow_id', '=', flowId)
        .where('account_id', '=', accountId)
        .where('id', '>', after)
        .where('state', 'in', ['failed', 'dead'])
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row?.at
    },

    async tally(accountId, flowId, since) {
      const rows = await db
        .selectFrom('delivery')
        .select(['state', db.fn.countAll<number | string>().as('count')])
        .where('flow_id', '=', flowId)
        .where('account_id', '=', accountId)
        // Ids begin with the time: the index of the log by flow is sufficient.
        .where('id', '>=', firstIdAt(since))
        .where('at', '>=', since)
        .groupBy('state')
        .execute()
      const countOf = (states: readonly string[]): number =>
        rows.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + Number(count), 0)
      return { ok: countOf(['delivered']), failed: countOf(['failed', 'dead']) }
    },

    async amend(eventId, { actions, problems, error }) {
      const latest = await latestOf(eventId)
      if (!latest) return
      await db
        .updateTable('delivery')
        .set({
          actions: appended(latest.actions, actions),
          problems: appended(latest.problems, problems),
          ...(error !== undefined && { state: 'failed', error }),
        })
        .where('id', '=', latest.id)
        .execute()
    },

    async removeBefore(at, limit) {
      if (dialect === 'postgres') await dropPartsBefore(db, 'delivery', at)
      return affectedRows(
        db.deleteFrom('delivery').where('id', 'in', (eb) => eb.selectFrom('delivery').select('id').where('at', '<', at).limit(limit)),
      )
    },
  }
}

/** SQLite's limit is 500 terms per compound select. */
const concurrentFlows = 100

/** Each uses an index that begins with the flow. */
const latestParts = (accountId: string, flowId: string): RawBuilder<unknown>[] => {
  const ofFlow = sql`select * from delivery where flow_id = ${flowId} and account_id = ${accountId}`
  const first = (rows: RawBuilder<unknown>, limit: number): RawBuilder<unknown> =>
    sql`select * from (${rows} order by id desc limit ${sql.lit(limit)}) as latest`
  return [
    first(ofFlow, 10),
    first(sql`${ofFlow} and state = 'delivered'`, 1),
    // The same condition as the partial index over undelivered entries, so that it is used.
    first(sql`${ofFlow} and state = 'failed' and state <> 'delivered'`, 1),
  ]
}

const appended = (list: Json, more: readonly unknown[]): Json =>
  more.length === 0 ? list : JSON.stringify([...(JSON.parse(list) as unknown[]), ...more].slice(0, maxRecorded))

const toRow = (delivery: Delivery): Insertable<Schema['delivery']> => ({
  id: delivery.id,
  account_id: delivery.accountId,
  flow_id: delivery.flowId,
  session_id: delivery.sessionId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  sequence: delivery.sequence,
  turn: delivery.turn,
  attempt: delivery.attempt,
  channel: delivery.channel,
  at: delivery.at,
  duration_ms: Math.round(delivery.durationMs),
  state: delivery.state,
  status: delivery.status ?? null,
  request_bytes: delivery.requestBytes,
  reply_bytes: delivery.replyBytes,
  actions: JSON.stringify(delivery.actions),
  problems: JSON.stringify(delivery.problems),
  error: delivery.error ?? null,
})

const toDelivery = (row: Selectable<Schema['delivery']>): Delivery => ({
  id: row.id,
  accountId: row.account_id,
  flowId: row.flow_id,
  sessionId: row.session_id,
  eventId: row.event_id,
  eventType: row.event_type,
  sequence: row.sequence,
  turn: row.turn,
  attempt: row.attempt,
  channel: row.channel,
  at: row.at,
  durationMs: row.duration_ms,
  state: row.state,
  status: row.status ?? undefined,
  requestBytes: row.request_bytes,
  replyBytes: row.reply_bytes,
  actions: JSON.parse(row.actions) as string[],
  problems: JSON.parse(row.problems) as ActionProblem[],
  error: row.error ?? undefined,
})
