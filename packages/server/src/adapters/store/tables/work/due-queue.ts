import { sql, type RawBuilder } from 'kysely'
import type { DueQuestion, DueQueue, DueTimes, QueueName } from '#core/kernel/ports/store/work/due-queue.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'

/**
 * Leasing is the same for jobs and the outbox; how an entry ends differs. An entry that is leased is due again when its lease runs out, so that
 * what waits is found at the beginning of the index, however much is being done.
 */
export const leasing = (
  db: Db,
  dialect: Dialect,
  table: QueueName,
): Pick<DueQueue, 'name' | 'lease' | 'nextDue' | 'nextWaiting' | 'postpone'> => {
  const waiting = waitingIn(table)
  const skipLocked = dialect === 'postgres' ? sql`for update skip locked` : sql``
  return {
    name: table,

    async lease(kinds, now, limit, leaseMs, aheadMs = 0) {
      if (kinds.length === 0) return []
      const { rows } = await sql<{ id: string; kind: string; payload: string; attempts: number }>`
        update ${sql.table(table)} set leased_until = ${now - aheadMs + leaseMs}, due_at = ${now + leaseMs}, attempts = attempts + 1
        where id in (select id from ${sql.table(table)} where ${waiting} and kind in (${sql.join(kinds)}) and due_at <= ${now} and leased_until <= ${now - aheadMs}
          order by due_at, id limit ${limit} ${skipLocked})
        returning id, kind, payload, attempts`.execute(db)
      return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as unknown }))
    },

    async postpone(id, dueAt) {
      await sql`update ${sql.table(table)} set due_at = ${dueAt}, leased_until = 0, attempts = attempts - 1 where id = ${id}`.execute(db)
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

/** Entries of the outbox stay as a record after they were sent; only pending ones are work. */
const waitingIn = (table: QueueName): RawBuilder<unknown> => (table === 'outbox' ? sql`state = 'PENDING'` : sql`1 = 1`)

/** So many at the beginning of the index may be leased by a process of an earlier version, which leaves them there. */
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
