import { sql } from 'kysely'
import type { DueQueue } from '#core/kernel/ports/store/work/due-queue.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'

/** Leasing is the same for jobs and the outbox; how an entry ends differs. */
export const leasing = (
  db: Db,
  dialect: Dialect,
  table: 'outbox' | 'job',
): Pick<DueQueue, 'lease' | 'nextDue' | 'nextWaiting' | 'postpone'> => {
  // Entries of the outbox stay as a record after they were sent; only pending ones are work.
  const waiting = table === 'outbox' ? sql`state = 'PENDING'` : sql`1 = 1`
  const skipLocked = dialect === 'postgres' ? sql`for update skip locked` : sql``
  return {
    async lease(kinds, now, limit, leaseMs, aheadMs = 0) {
      if (kinds.length === 0) return []
      const { rows } = await sql<{ id: string; kind: string; payload: string; attempts: number }>`
        update ${sql.table(table)} set leased_until = ${now - aheadMs + leaseMs}, attempts = attempts + 1
        where id in (select id from ${sql.table(table)} where ${waiting} and kind in (${sql.join(kinds)}) and due_at <= ${now} and leased_until <= ${now - aheadMs}
          order by due_at, id limit ${limit} ${skipLocked})
        returning id, kind, payload, attempts`.execute(db)
      return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as unknown }))
    },

    async postpone(id, dueAt) {
      await sql`update ${sql.table(table)} set due_at = ${dueAt}, leased_until = 0, attempts = attempts - 1 where id = ${id}`.execute(db)
    },

    async nextDue(kinds, aheadMs = 0) {
      if (kinds.length === 0) return undefined
      const { rows } = await sql<{ next: number | null }>`
        select min(case when leased_until + ${aheadMs} > due_at then leased_until + ${aheadMs} else due_at end) as next
        from ${sql.table(table)} where ${waiting} and kind in (${sql.join(kinds)})`.execute(db)
      return rows[0]?.next ?? undefined
    },

    async nextWaiting(kinds, now) {
      if (kinds.length === 0) return undefined
      const { rows } = await sql<{ next: number | null }>`
        select min(due_at) as next from ${sql.table(table)}
        where ${waiting} and kind in (${sql.join(kinds)}) and leased_until <= ${now}`.execute(db)
      return rows[0]?.next ?? undefined
    },
  }
}
