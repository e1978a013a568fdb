import { sql, type RawBuilder, type Insertable, type Selectable } from 'kysely'
import type {
  DueQuestion,
  DueQueue,
  DueTimes,
  QueueName,
  FirstLease,
  DeadLetter,
  Outbox,
  OutboxMessage,
  Jobs,
} from '#core/kernel/ports/store/work.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { UniqueViolation } from '#core/kernel/ports/store/index.ts'
import { hotInsert } from '#adapters/store/sqlite/hot-row.ts'
import { affectedRows, countRows, hasEffect } from '../row-counts.ts'

/**
 * Leasing is the same for jobs and the outbox; their completion differs. A leased entry is due again when its lease expires, so that
 * waiting entries are at the beginning of the index, however many are leased.
 */
const leasing = (
  db: Db,
  dialect: Dialect,
  table: QueueName,
): Pick<DueQueue, 'name' | 'lease' | 'renew' | 'nextDue' | 'nextWaiting' | 'postpone' | 'forgive'> => {
  const waiting = waitingIn(table)
  const skipLocked = dialect === 'postgres' ? sql`for update skip locked` : sql``
  return {
    name: table,

    async lease(kinds, now, limit, leaseMs, aheadMs = 0) {
      if (kinds.length === 0) return []
      const { rows } = await sql<{ id: string; kind: string; payload: string; attempts: number; lost: number }>`
        update ${sql.table(table)} set leased_until = ${now - aheadMs + leaseMs}, due_at = ${now + leaseMs}, attempts = attempts + 1,
          lost = lost + case when leased_until > 0 then 1 else 0 end
        where id in (select id from ${sql.table(table)} where ${waiting} and kind in (${sql.join(kinds)}) and due_at <= ${now} and leased_until <= ${now - aheadMs}
          order by due_at, id limit ${limit} ${skipLocked})
        returning id, kind, payload, attempts, lost`.execute(db)
      return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as unknown }))
    },

    /** An entry that rescheduled itself while it ran has no lease to renew. */
    async renew(ids, now, leaseMs, aheadMs = 0) {
      await sql`update ${sql.table(table)} set leased_until = ${now - aheadMs + leaseMs}, due_at = ${now + leaseMs}
        where id in (${sql.join(ids)}) and leased_until > 0`.execute(db)
    },

    async postpone(id, dueAt) {
      await sql`update ${sql.table(table)} set due_at = ${dueAt}, leased_until = 0, attempts = attempts - 1 where id = ${id}`.execute(db)
    },

    async forgive(id) {
      await sql`update ${sql.table(table)} set lost = 0 where id = ${id}`.execute(db)
    },

    nextDue: async (kinds, aheadMs = 0) => (await dueTimes(db).next([{ queue: table, kinds, aheadMs }]))[0],

    async nextWaiting(kinds, now) {
      if (kinds.length === 0) return undefined
      const { rows } = await sql<{ next: number | null }>`
        select min(due_at) as next from ${sql.table(table)}
        where ${waiting} and kind in (${sql.join(kinds)}) and leased_until <= ${now}`.execute(db)
      return rows[0]?.next ?? undefined
    },
  }
}

export const dueTimes = (db: Db): DueTimes => ({
  async next(questions) {
    const asked = questions.filter(({ kinds }) => kinds.length > 0)
    if (asked.length === 0) return questions.map(() => undefined)
    const columns = asked.map((question, index) => sql`(${nextOf(question)}) as ${sql.ref(`n${index}`)}`)
    const { rows } = await sql<Record<string, number | null>>`select ${sql.join(columns)}`.execute(db)
    return questions.map((question) => rows[0]?.[`n${asked.indexOf(question)}`] ?? undefined)
  },
})

/** Sent outbox entries stay as a record, and so do jobs that crashed their process; neither is work. */
const waitingIn = (table: QueueName): RawBuilder<unknown> => sql.raw(table === 'outbox' ? `state = 'PENDING'` : 'parked_at = 0')

/** Entries at the beginning of the index that a process of an earlier version may have leased, which leaves them there. */
const front = 64

const nextOf = ({ queue, kinds, aheadMs }: DueQuestion): RawBuilder<unknown> => {
  // One kind after the other, each from the beginning of its part of the index; many kinds share the whole.
  const parts = kinds.length <= 4 ? kinds.map((kind) => sql`kind = ${kind}`) : [sql`kind in (${sql.join(kinds)})`]
  const fronts = parts.map(
    (which) =>
      sql`select * from (select due_at, leased_until from ${sql.table(queue)} where ${waitingIn(queue)} and ${which} order by due_at limit ${sql.lit(front)}) as part`,
  )
  return sql`select min(case when leased_until + ${aheadMs} > due_at then leased_until + ${aheadMs} else due_at end)
    from (${sql.join(fronts, sql` union all `)}) as first`
}

export const outbox = (db: Db, dialect: Dialect): Outbox => {
  const insertRow = hotInsert(db, 'outbox')
  const giveUp = async (id: string, error: string): Promise<void> => {
    await db.updateTable('outbox').set({ state: 'DEAD', last_error: error }).where('id', '=', id).execute()
  }
  return {
    ...leasing(db, dialect, 'outbox'),

    async put(message, lease) {
      if (!(await insertRow(toRow(message, lease)))) throw new UniqueViolation(`there is a message ${message.id} already`)
    },

    putOnce: (message, lease) => insertRow(toRow(message, lease)),

    async waitsUntil(id) {
      const pending = db.selectFrom('outbox').select(['due_at', 'leased_until']).where('id', '=', id).where('state', '=', 'PENDING')
      const row = await pending.executeTakeFirst()
      return row && (row.leased_until > 0 ? 0 : row.due_at)
    },

    /** The payload is deleted after delivery: a mail may contain a secret link. */
    async done(...ids) {
      await db.updateTable('outbox').set({ state: 'SENT', payload: '{}', last_error: '' }).where('id', 'in', ids).execute()
    },

    async retry(id, dueAt, error) {
      await db.updateTable('outbox').set({ due_at: dueAt, leased_until: 0, last_error: error }).where('id', '=', id).execute()
    },

    giveUp,

    async park(id, _now, error) {
      await giveUp(id, error)
    },

    async listDead(limit, offset = 0) {
      const dead = db.selectFrom('outbox').selectAll().where('state', '=', 'DEAD').orderBy('created_at').orderBy('id')
      const rows = await dead.limit(limit).offset(offset).execute()
      return rows.map((row) => ({
        id: row.id,
        accountId: row.account_id ?? undefined,
        kind: row.kind,
        attempts: row.attempts,
        lastError: row.last_error,
        createdAt: row.created_at,
      }))
    },

    async listDeadOf(accountId, kind, { offset, limit }) {
      const dead = deadOf(db, accountId, kind).selectAll().orderBy('created_at', 'desc').orderBy('id')
      return (await dead.limit(limit).offset(offset).execute()).map(toDeadLetter)
    },

    async countDeadOf(accountId, kind) {
      return countRows(deadOf(db, accountId, kind))
    },

    async findDeadOf(accountId, kind, id) {
      const row = await deadOf(db, accountId, kind).selectAll().where('id', '=', id).executeTakeFirst()
      return row && toDeadLetter(row)
    },

    async revive(id, at) {
      return hasEffect(
        db
          .updateTable('outbox')
          .set({ state: 'PENDING', due_at: at, leased_until: 0, attempts: 0, lost: 0 })
          .where('id', '=', id)
          .where('state', '=', 'DEAD'),
      )
    },

    async figures() {
      const [waiting, dead] = [await countedByKind(db, 'PENDING'), await countedByKind(db, 'DEAD')]
      const kinds = new Set([...waiting.keys(), ...dead.keys()])
      return [...kinds].map((kind) => {
        const { count = 0, oldest, due } = waiting.get(kind) ?? {}
        return { kind, pending: Number(count), oldestAt: oldest, dueAt: due, dead: Number(dead.get(kind)?.count ?? 0) }
      })
    },

    async removeDeadOf(accountId, kind, before) {
      await db
        .deleteFrom('outbox')
        .where('account_id', '=', accountId)
        .where(sql<boolean>`state = 'DEAD'`)
        .where('kind', '=', kind)
        .where('created_at', '<', before)
        .execute()
    },

    async removeEndedBefore(at) {
      return affectedRows(db.deleteFrom('outbox').where('state', '!=', 'PENDING').where('created_at', '<', at))
    },
  }
}

const toRow = ({ id, accountId, kind, payload, at }: OutboxMessage, lease?: FirstLease): Insertable<Schema['outbox']> => ({
  id,
  account_id: accountId ?? null,
  kind,
  payload: JSON.stringify(payload),
  state: 'PENDING',
  attempts: lease ? 1 : 0,
  due_at: lease?.dueAt ?? at,
  leased_until: lease?.until ?? 0,
  last_error: '',
  created_at: at,
})

/** The state is a literal in the statement: only then are the partial indexes of unsent entries used. */
const countedByKind = async (db: Db, state: 'PENDING' | 'DEAD') => {
  const rows = await db
    .selectFrom('outbox')
    .select((eb) => ['kind', eb.fn.countAll().as('count'), eb.fn.min('created_at').as('oldest'), eb.fn.min('due_at').as('due')])
    .where(sql<boolean>`state = ${sql.lit(state)}`)
    .groupBy('kind')
    .execute()
  return new Map(rows.map((row) => [row.kind, row]))
}

const deadOf = (db: Db, accountId: string, kind: string) =>
  db
    .selectFrom('outbox')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`state = 'DEAD'`)
    .where('kind', '=', kind)

const toDeadLetter = ({ id, kind, payload, attempts, last_error, created_at }: Selectable<Schema['outbox']>): DeadLetter => ({
  id,
  kind,
  payload: JSON.parse(payload) as unknown,
  attempts,
  lastError: last_error,
  createdAt: created_at,
})

const yearMs = 365 * 24 * 60 * 60 * 1000

export const jobs = (db: Db, dialect: Dialect): Jobs => {
  const remove = async (id: string): Promise<void> => {
    await db.deleteFrom('job').where('id', '=', id).execute()
  }
  return {
    ...leasing(db, dialect, 'job'),

    async schedule({ id, kind, payload, dueAt }) {
      const timing = { payload: JSON.stringify(payload), due_at: dueAt, leased_until: 0, attempts: 0, lost: 0, parked_at: 0 }
      await db
        .insertInto('job')
        .values({ id, kind, ...timing })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(timing))
        .execute()
    },

    cancel: remove,

    /** A job that rescheduled itself while it ran stays. */
    async done(...ids) {
      await db.deleteFrom('job').where('id', 'in', ids).where('leased_until', '>', 0).execute()
    },

    async retry(id, dueAt) {
      await db.updateTable('job').set({ due_at: dueAt, leased_until: 0 }).where('id', '=', id).execute()
    },

    giveUp: remove,

    /** A process of the previous release, which does not know it, sees a job that is due in a year. */
    async park(id, now) {
      await db
        .updateTable('job')
        .set({ parked_at: now, due_at: now + yearMs, leased_until: 0 })
        .where('id', '=', id)
        .execute()
    },

    async listParked(limit, offset = 0) {
      const rows = await db
        .selectFrom('job')
        .selectAll()
        .where('parked_at', '>', 0)
        .orderBy('parked_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map(({ id, kind, attempts, parked_at: parkedAt }) => ({ id, kind, attempts, parkedAt }))
    },

    async revive(id, at) {
      const timing = { due_at: at, leased_until: 0, attempts: 0, lost: 0, parked_at: 0 }
      const query = db.updateTable('job').set(timing).where('id', '=', id).where('parked_at', '>', 0)
      return (await query.executeTakeFirst()).numUpdatedRows > 0n
    },

    async figures() {
      const rows = await db
        .selectFrom('job')
        .select((eb) => [
          'kind',
          eb.fn.countAll().as('count'),
          eb.fn.min('due_at').as('due'),
          sql<number | bigint | string>`sum(sign(parked_at))`.as('parked'),
        ])
        .groupBy('kind')
        .execute()
      return rows.map(({ kind, count, due, parked }) => ({
        kind,
        pending: Number(count) - Number(parked),
        oldestAt: undefined,
        dueAt: due,
        dead: Number(parked),
      }))
    },
  }
}
